-- Attempts are counted before they are tried, so one that succeeds must be found again to be withdrawn.
ALTER TABLE sign_in_failures ADD COLUMN attempt_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
COMMENT ON TABLE sign_in_failures IS 'Attempts to sign in of the last minutes, by network and by name: counted before the password is checked, withdrawn if it is right.';

CREATE TABLE sign_in_networks (
    user_id        BIGINT NOT NULL REFERENCES users ON DELETE CASCADE,
    network        TEXT NOT NULL,
    signed_in_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, network)
);
CREATE INDEX idx_sign_in_networks_signed_in_at ON sign_in_networks (signed_in_at);
COMMENT ON TABLE sign_in_networks IS 'Networks a person has signed in from with the password: guesses from elsewhere do not lock them out there.';
