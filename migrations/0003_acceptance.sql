-- Serving acceptance: measured service runs, the verdicts on them, accuracy, time ledgers and their archive.
--
-- Reading order: a round is a frozen RunSpec under a protocol; its runs are service starts; a run's requests are
-- the records that its client wrote; levels, verdicts and thresholds are computed from them, never typed in.
--
-- Times: *_utc are ISO 8601 with a Z; *_ns are nanoseconds of the monotonic clock clock_id. What is not known is
-- NULL. All digests are SHA-256 in lower-case hex. Verdicts are only ever added.

CREATE TABLE serving_protocol (
  protocol_id  INTEGER PRIMARY KEY,
  name         TEXT NOT NULL,
  version      TEXT NOT NULL,
  sha256       TEXT NOT NULL UNIQUE,
  document     TEXT NOT NULL  -- the YAML file's bytes
) STRICT;

CREATE TABLE serving_round (
  round_id             INTEGER PRIMARY KEY,
  name                 TEXT NOT NULL UNIQUE,
  kind                 TEXT NOT NULL CHECK (kind IN ('candidate', 'calibration', 'acceptance')),
  protocol_id          INTEGER NOT NULL REFERENCES serving_protocol,
  hypothesis           TEXT NOT NULL,
  parent_commit        TEXT NOT NULL,  -- '' where the round has no parent
  candidate_commit     TEXT NOT NULL,
  runspec              TEXT NOT NULL,  -- the YAML file's bytes, as frozen
  runspec_sha256       TEXT NOT NULL,
  folder               TEXT NOT NULL,  -- where the paths of the round's artifacts start
  frozen_utc           TEXT NOT NULL,
  frozen_monotonic_ns  INTEGER NOT NULL,
  frozen_clock_id      TEXT NOT NULL,
  freeze_sha256        TEXT NOT NULL,  -- of RunSpec digest and time anchor
  synthetic            TEXT NOT NULL   -- the notice of a round whose evidence is made up, or ''
) STRICT;

CREATE TABLE serving_prompt (
  round_id  INTEGER NOT NULL REFERENCES serving_round,
  phase     TEXT NOT NULL CHECK (phase IN ('warmup', 'measured')),
  position  INTEGER NOT NULL,  -- from 0; slot i sends prompt i
  sha256    TEXT NOT NULL,     -- of the token ids as a compact JSON array
  tokens    INTEGER NOT NULL,
  PRIMARY KEY (round_id, phase, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE serving_run (
  run_id            INTEGER PRIMARY KEY,
  round_id          INTEGER NOT NULL REFERENCES serving_round,
  name              TEXT NOT NULL,  -- role in the round: B1, B2, B3, or as a calibration's pairs name it
  service           TEXT NOT NULL,
  host              TEXT NOT NULL,
  pid               INTEGER NOT NULL,
  start_ticks       INTEGER NOT NULL,
  commit_id         TEXT NOT NULL,
  deployed_files    TEXT NOT NULL,
  weights           TEXT NOT NULL,
  operator_library  TEXT NOT NULL,
  configuration     TEXT NOT NULL,
  started_utc       TEXT NOT NULL,
  stopped_utc       TEXT,
  document          TEXT NOT NULL,  -- the service file's bytes
  sealed_utc        TEXT,
  seal_sha256       TEXT,           -- of the service file's digest and the rows of all requests, in order
  UNIQUE (round_id, name)
) STRICT;

CREATE TABLE serving_artifact (
  artifact_id    INTEGER PRIMARY KEY,
  round_id       INTEGER NOT NULL REFERENCES serving_round,
  run_id         INTEGER REFERENCES serving_run,  -- NULL where it belongs to the whole round
  kind           TEXT NOT NULL,  -- runspec, protocol, input, tool, validator, knowledge, service, stop, records, raw, arrivals, ...
  name           TEXT NOT NULL,
  path           TEXT NOT NULL,  -- relative to the round's folder
  sha256         TEXT NOT NULL,
  bytes          INTEGER,
  accessibility  TEXT NOT NULL,  -- at the last look: accessible, missing, changed
  checked_utc    TEXT NOT NULL,
  UNIQUE (round_id, kind, path)
) STRICT;

CREATE TABLE serving_request (
  request_id         INTEGER PRIMARY KEY,
  run_id             INTEGER NOT NULL REFERENCES serving_run,
  artifact_id        INTEGER NOT NULL REFERENCES serving_artifact,  -- the record file
  line               INTEGER NOT NULL,  -- in it, from 1
  level              INTEGER NOT NULL,
  phase              TEXT NOT NULL CHECK (phase IN ('warmup', 'measured', 'probe')),
  attempt            INTEGER NOT NULL,
  slot               INTEGER NOT NULL,
  status             TEXT NOT NULL,
  http_status        INTEGER NOT NULL,
  clock_id           TEXT NOT NULL,
  start_utc          TEXT NOT NULL,
  start_ns           INTEGER NOT NULL,
  first_ns           INTEGER,           -- of the first frame with a generated token id
  end_ns             INTEGER NOT NULL,
  prompt_tokens      INTEGER NOT NULL,
  output_tokens      INTEGER NOT NULL,  -- generated token ids, counted
  cached_tokens      INTEGER,
  ttft_ms            REAL,
  e2e_ms             REAL,
  tpot_ms            REAL,              -- (end - first)/1e6/(output - 1)
  record             TEXT NOT NULL,     -- the record as JSON, without its frames
  frames             BLOB NOT NULL,     -- per frame the differences of time and end byte, and its token ids, as varints
  row_sha256         TEXT NOT NULL,     -- of frames and record
  UNIQUE (artifact_id, line)
) STRICT;
CREATE INDEX serving_request_of_run ON serving_request (run_id, level, attempt, phase, slot);  -- a run's requests in order

CREATE TABLE serving_calibration (
  calibration_id  INTEGER PRIMARY KEY,
  round_id        INTEGER NOT NULL REFERENCES serving_round,
  calibrated_utc  TEXT NOT NULL,
  usable          INTEGER NOT NULL CHECK (usable IN (0, 1)),
  reason          TEXT NOT NULL  -- why it is not usable, or ''
) STRICT;

CREATE TABLE serving_threshold (
  calibration_id  INTEGER NOT NULL REFERENCES serving_calibration,
  level           INTEGER NOT NULL,
  pair            INTEGER NOT NULL,  -- in the RunSpec's order, from 1
  jitter          REAL NOT NULL,     -- |candidate - parent| / parent of the pair
  threshold       REAL NOT NULL,     -- of the level: max(floor, largest jitter)
  PRIMARY KEY (calibration_id, level, pair)
) STRICT, WITHOUT ROWID;

CREATE TABLE serving_verdict (
  verdict_id    INTEGER PRIMARY KEY,
  round_id      INTEGER NOT NULL REFERENCES serving_round,
  part          TEXT NOT NULL CHECK (part IN ('performance', 'accuracy', 'function', 'configuration', 'acceptance')),
  verdict       TEXT NOT NULL CHECK (verdict IN ('PASS', 'FAIL', 'INCONCLUSIVE', 'NOT_RUN')),
  rule          INTEGER,         -- of the performance rules, the one that decided
  reason        TEXT NOT NULL,
  protocol_id   INTEGER NOT NULL REFERENCES serving_protocol,
  protocol      TEXT NOT NULL,   -- name and version
  judged_utc    TEXT NOT NULL,
  caused_by     TEXT NOT NULL,   -- the command that judged
  details       TEXT NOT NULL    -- JSON: figures, checks
) STRICT;
CREATE INDEX serving_verdict_of_round ON serving_verdict (round_id, part, verdict_id);  -- the last verdict on a part
CREATE TRIGGER serving_verdict_stays BEFORE UPDATE ON serving_verdict
BEGIN
  SELECT raise(ABORT, 'a verdict is never changed; judge again');
END;
CREATE TRIGGER serving_verdict_remains BEFORE DELETE ON serving_verdict
BEGIN
  SELECT raise(ABORT, 'a verdict is never removed');
END;

CREATE TABLE serving_accuracy (
  accuracy_id  INTEGER PRIMARY KEY,
  round_id     INTEGER NOT NULL UNIQUE REFERENCES serving_round,
  run_name     TEXT NOT NULL,  -- the accuracy run's own id
  service      TEXT NOT NULL,
  document     TEXT NOT NULL   -- the file's bytes
) STRICT;

CREATE TABLE serving_answer (
  round_id           INTEGER NOT NULL REFERENCES serving_round,
  line               INTEGER NOT NULL,
  question           INTEGER NOT NULL,
  attempt            INTEGER NOT NULL,
  answered           INTEGER NOT NULL CHECK (answered IN (0, 1)),
  response_sha256    TEXT NOT NULL,
  correct            INTEGER NOT NULL CHECK (correct IN (0, 1)),
  truncated          INTEGER NOT NULL CHECK (truncated IN (0, 1)),
  extraction_failed  INTEGER NOT NULL CHECK (extraction_failed IN (0, 1)),
  PRIMARY KEY (round_id, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE serving_function (
  function_id  INTEGER PRIMARY KEY,
  round_id     INTEGER NOT NULL REFERENCES serving_round,
  document     TEXT NOT NULL  -- the file's bytes
) STRICT;

CREATE TABLE serving_event (
  round_id            INTEGER NOT NULL REFERENCES serving_round,
  event               TEXT NOT NULL,
  category            TEXT NOT NULL,
  actor               TEXT NOT NULL,
  command             TEXT NOT NULL,
  status              TEXT NOT NULL,
  parent              TEXT NOT NULL,  -- event, or ''
  utc_start           TEXT,
  utc_end             TEXT,
  monotonic_start_ns  INTEGER,
  monotonic_end_ns    INTEGER,
  document            TEXT NOT NULL,  -- JSON: the whole event
  PRIMARY KEY (round_id, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE serving_verification (
  verification_id  INTEGER PRIMARY KEY,
  round_id         INTEGER NOT NULL REFERENCES serving_round,
  verified_utc     TEXT NOT NULL,
  findings         TEXT NOT NULL  -- JSON: [{check, problem}]; [] where everything agreed
) STRICT;

CREATE VIEW serving_level AS
-- How fast was each level of each run, per attempt, before any check? (Which attempt counts, validate says.)
SELECT o.name AS round, r.name AS run, q.level, q.attempt, count(*) AS requests, avg(q.tpot_ms) AS mean_tpot_ms,
       min(q.tpot_ms) AS min_tpot_ms, max(q.tpot_ms) AS max_tpot_ms, avg(q.ttft_ms) AS mean_ttft_ms,
       avg(q.e2e_ms) AS mean_e2e_ms, sum(q.status <> 'ok') AS failed
FROM serving_request AS q
JOIN serving_run AS r USING (run_id)
JOIN serving_round AS o USING (round_id)
WHERE q.phase = 'measured'
GROUP BY r.run_id, q.level, q.attempt;

CREATE VIEW serving_last_verdict AS
-- What stands: the last verdict on each part of each round.
SELECT o.name AS round, v.part, v.verdict, v.rule, v.reason, v.protocol, v.judged_utc, v.verdict_id
FROM serving_verdict AS v
JOIN serving_round AS o USING (round_id)
WHERE v.verdict_id = (SELECT max(w.verdict_id) FROM serving_verdict AS w WHERE w.round_id = v.round_id AND w.part = v.part);

CREATE VIEW serving_verdict_history AS
-- Every verdict that was ever given, oldest first.
SELECT v.verdict_id, o.name AS round, v.part, v.verdict, v.rule, v.reason, v.protocol, v.judged_utc, v.caused_by
FROM serving_verdict AS v
JOIN serving_round AS o USING (round_id)
ORDER BY v.verdict_id;

CREATE VIEW serving_retained AS
-- The retained line: candidates whose performance, accuracy, function and configuration all passed, and still do.
SELECT l.round, o.candidate_commit, o.parent_commit, l.judged_utc
FROM serving_last_verdict AS l
JOIN serving_round AS o ON o.name = l.round
WHERE l.part = 'acceptance' AND l.verdict = 'PASS'
ORDER BY l.verdict_id;

CREATE VIEW serving_archive AS
-- Which artifacts of a round can still be read, and which have changed?
SELECT o.name AS round, r.name AS run, a.kind, a.name, a.path, a.sha256, a.accessibility, a.checked_utc
FROM serving_artifact AS a
JOIN serving_round AS o USING (round_id)
LEFT JOIN serving_run AS r USING (run_id);
