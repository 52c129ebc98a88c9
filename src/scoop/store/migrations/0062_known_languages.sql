-- The languages of an event are those that are known: a text without one adds no language.

UPDATE events SET languages = array_remove(languages, 'und') WHERE 'und' = ANY (languages);
