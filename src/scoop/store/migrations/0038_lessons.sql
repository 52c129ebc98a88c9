-- Lessons for learners of English: graded texts, the articles they are made of, and what learners did with them.

CREATE TABLE lessons (
    lesson_id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    brief_id       BIGINT NOT NULL REFERENCES briefs (brief_id),
    subject_kind   TEXT NOT NULL CHECK (subject_kind IN ('document', 'event')),
    subject_id     BIGINT NOT NULL,
    level          TEXT NOT NULL CHECK (level IN ('A1', 'A2', 'B1', 'B2', 'C1', 'C2')),
    language       TEXT NOT NULL DEFAULT 'en',
    lesson_text    TEXT NOT NULL CHECK (lesson_text ~ '\S'),
    sentences      JSONB NOT NULL,
    word_count     INTEGER NOT NULL CHECK (word_count > 0),
    measured_level TEXT NOT NULL CHECK (measured_level IN ('A1', 'A2', 'B1', 'B2', 'C1', 'C2')),
    score          REAL NOT NULL,
    findings       JSONB NOT NULL DEFAULT '[]',
    provider       TEXT NOT NULL,
    model          TEXT NOT NULL,
    prompt_id      TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    disclaimer_id  TEXT NOT NULL,
    input_hash     BYTEA NOT NULL CHECK (octet_length(input_hash) = 32),
    input_tokens   BIGINT NOT NULL DEFAULT 0,
    output_tokens  BIGINT NOT NULL DEFAULT 0,
    cost           NUMERIC(18, 8) NOT NULL DEFAULT 0,
    currency       TEXT NOT NULL DEFAULT 'USD',
    prompt_key     TEXT,
    response_key   TEXT,
    created_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_lessons UNIQUE (subject_kind, subject_id, level)
);
COMMENT ON TABLE lessons IS 'Texts for learners of English: one for each article or event and level, made once and kept.';
COMMENT ON COLUMN lessons.sentences IS 'Its sentences in order: text, and the ranges of body_text that each rests on.';
COMMENT ON COLUMN lessons.measured_level IS 'The level that the text has by measurement; another one than level if no better text could be made.';
COMMENT ON COLUMN lessons.score IS 'Its measured difficulty: it rises with the level.';
COMMENT ON COLUMN lessons.findings IS 'The rules of its level that the text breaks: kind and message; empty if it meets all.';
COMMENT ON COLUMN lessons.disclaimer_id IS 'simplified (by the local grader) or generated (by a language model).';
CREATE INDEX idx_lessons_created ON lessons (created_at DESC, lesson_id DESC);
CREATE TRIGGER trg_lessons_touch_updated_at BEFORE UPDATE ON lessons
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE listening_articles (
    document_id BIGINT PRIMARY KEY REFERENCES documents (document_id) ON DELETE CASCADE,
    chosen_on   DATE NOT NULL,
    score       REAL NOT NULL DEFAULT 0,
    created_at  TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE listening_articles IS 'The articles that were chosen for learners, a few a day; each once, whatever its date becomes.';
COMMENT ON COLUMN listening_articles.chosen_on IS 'The date of the update that chose it, in Japan.';
COMMENT ON COLUMN listening_articles.score IS 'Its digest score when it was chosen.';
CREATE INDEX idx_listening_articles_chosen ON listening_articles (chosen_on DESC);

CREATE TABLE news_update_state (
    job_name           TEXT PRIMARY KEY CHECK (job_name = 'news_update'),
    last_run_at        TIMESTAMPTZ NOT NULL,
    last_run_date_jst  DATE NOT NULL,
    status             TEXT NOT NULL CHECK (status IN ('success', 'failed')),
    saved              INTEGER NOT NULL CHECK (saved >= 0),
    skipped_duplicates INTEGER NOT NULL CHECK (skipped_duplicates >= 0),
    error              TEXT,
    failed_since       DATE,
    updated_at         TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE news_update_state IS 'The state of the daily update of articles for learners: one row.';
COMMENT ON COLUMN news_update_state.last_run_date_jst IS 'The date in Japan that the last update was for.';
COMMENT ON COLUMN news_update_state.saved IS 'Articles that were chosen for that date.';
COMMENT ON COLUMN news_update_state.skipped_duplicates IS 'Candidates that were left out: chosen before, or another report of a chosen event.';
COMMENT ON COLUMN news_update_state.failed_since IS 'The first of the dates in a row that failed; NULL: the last update succeeded.';

CREATE TABLE learners (
    user_id    BIGINT PRIMARY KEY REFERENCES users (user_id) ON DELETE CASCADE,
    level      TEXT NOT NULL DEFAULT 'B1' CHECK (level IN ('A1', 'A2', 'B1', 'B2', 'C1', 'C2')),
    timezone   TEXT NOT NULL DEFAULT 'Asia/Tokyo',
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE learners IS 'The settings of people who listen to lessons.';
COMMENT ON COLUMN learners.timezone IS 'Its dates group articles, and count the days of a streak.';

CREATE TABLE lesson_progress (
    user_id     BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    lesson_id   BIGINT NOT NULL REFERENCES lessons (lesson_id) ON DELETE CASCADE,
    sentence    INTEGER NOT NULL DEFAULT 0 CHECK (sentence >= 0),
    position_ms INTEGER NOT NULL DEFAULT 0 CHECK (position_ms >= 0),
    heard_at    TIMESTAMPTZ,
    updated_at  TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, lesson_id)
);
COMMENT ON TABLE lesson_progress IS 'Where each person stopped in a lesson, and when they first heard it to the end.';
COMMENT ON COLUMN lesson_progress.sentence IS 'The sentence to go on with, from 0.';
COMMENT ON COLUMN lesson_progress.position_ms IS 'The place in its audio at normal speed.';
CREATE INDEX idx_lesson_progress_updated ON lesson_progress (user_id, updated_at DESC);
CREATE INDEX idx_lesson_progress_lesson ON lesson_progress (lesson_id);

CREATE TABLE listening_days (
    user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    day     DATE NOT NULL,
    heard   INTEGER NOT NULL DEFAULT 0 CHECK (heard >= 0),
    PRIMARY KEY (user_id, day)
);
COMMENT ON TABLE listening_days IS 'How many lessons each person heard to the end on each date, in their timezone: streaks follow from it.';

CREATE TABLE learner_words (
    word_id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id        BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    word           TEXT NOT NULL CHECK (word ~ '\S'),
    lemma          TEXT NOT NULL CHECK (lemma ~ '\S'),
    word_class     TEXT NOT NULL DEFAULT '',
    level          TEXT NOT NULL DEFAULT '',
    definition     TEXT NOT NULL DEFAULT '',
    example        TEXT NOT NULL DEFAULT '',
    lesson_id      BIGINT REFERENCES lessons (lesson_id) ON DELETE SET NULL,
    card           JSONB NOT NULL,
    due_at         TIMESTAMPTZ NOT NULL,
    reviewed_at    TIMESTAMPTZ,
    review_count   INTEGER NOT NULL DEFAULT 0 CHECK (review_count >= 0),
    created_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT uq_learner_words UNIQUE (user_id, lemma, word_class)
);
COMMENT ON TABLE learner_words IS 'The word list of each person, with the date of the next review of each word.';
COMMENT ON COLUMN learner_words.word IS 'As it was tapped in a text; lemma is its form in a dictionary.';
COMMENT ON COLUMN learner_words.level IS 'Its level by the word list; empty if the list does not have it.';
COMMENT ON COLUMN learner_words.example IS 'The sentence that it was met in.';
COMMENT ON COLUMN learner_words.card IS 'What the scheduler of reviews (FSRS) knows of it.';
CREATE INDEX idx_learner_words_due ON learner_words (user_id, due_at, word_id);
CREATE TRIGGER trg_learner_words_touch_updated_at BEFORE UPDATE ON learner_words
    FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE word_reviews (
    review_id   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    word_id     BIGINT NOT NULL REFERENCES learner_words (word_id) ON DELETE CASCADE,
    answer      TEXT NOT NULL CHECK (answer IN ('again', 'hard', 'good', 'easy')),
    due_at      TIMESTAMPTZ NOT NULL,
    reviewed_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE word_reviews IS 'What people answered in reviews of their words. Appended, never changed.';
COMMENT ON COLUMN word_reviews.due_at IS 'When the word was due again after this answer.';
CREATE INDEX idx_word_reviews_word ON word_reviews (word_id, review_id);
