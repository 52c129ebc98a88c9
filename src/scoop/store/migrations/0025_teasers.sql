-- Documents are made of teasers before their pages are read, and pages wait in a lane for each host. New topics get the
-- timezone of the desk, which the program says.

COMMENT ON COLUMN documents.content_problem IS
    'Why the text is a teaser or missing; page_pending: the page of the article is still to be read; NULL: no problem.';
COMMENT ON COLUMN work.lane IS
    'The collection, for stages that run one at a time per collection; the host, for pages; otherwise empty.';

ALTER TABLE topics ALTER COLUMN timezone DROP DEFAULT;
