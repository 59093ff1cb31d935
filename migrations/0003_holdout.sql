CREATE TABLE holdout_run (
  -- One run of profdb holdout: each measured coordinate left out in turn and predicted from the rest. It outlives
  -- its release, as the query log does: no foreign key; the digests say which data it speaks of.
  holdout_run_id    INTEGER PRIMARY KEY,
  run_at            TEXT NOT NULL,     -- UTC, ISO 8601
  engine_version    TEXT NOT NULL,
  release_id        INTEGER NOT NULL,
  release           TEXT NOT NULL,     -- DEVICE/FRAMEWORK/VERSION
  content_digest    TEXT NOT NULL,     -- of the release, as it was
  mapping_digest    TEXT NOT NULL,
  synthetic         TEXT NOT NULL,     -- the notice of a release whose data is made up
  options           TEXT NOT NULL CHECK (json_valid(options)),  -- JSON object: engine options and filters
  sample_count      INTEGER NOT NULL,
  answered_count    INTEGER NOT NULL   -- samples whose source is not MISS
) STRICT;

CREATE TABLE holdout_sample (
  -- One coordinate of a regime, left out with all its measurements: what was measured, and what the lookup said
  -- without it. relative_error is (predicted - measured) / measured.
  holdout_run_id    INTEGER NOT NULL REFERENCES holdout_run ON DELETE CASCADE,
  sample            INTEGER NOT NULL,  -- from 1, by projection, regime and coordinate
  op                TEXT NOT NULL,     -- whose mapping entry the lookup followed
  kernel            TEXT NOT NULL,
  path              TEXT NOT NULL,
  regime_id         INTEGER NOT NULL,
  regime            TEXT NOT NULL,     -- JSON object: the regime's fields
  source_class      TEXT NOT NULL,     -- of the measurements that measured_us is the median of
  coordinate        TEXT NOT NULL,     -- as in the view candidate: 'M=16,K=4096,N=1024'
  measurement_id    INTEGER NOT NULL,  -- the first of them
  row_count         INTEGER NOT NULL,  -- measurements behind measured_us
  measured_us       REAL NOT NULL,
  spread            REAL NOT NULL,     -- (max - min) / median of them
  source            TEXT NOT NULL,     -- MEASURED, INTERPOLATED, COMPATIBLE, MISS
  predicted_us      REAL,              -- NULL for a miss
  relative_error    REAL,              -- signed; NULL for a miss
  method            TEXT,
  match_rule        TEXT,
  dim               INTEGER,           -- of an interpolation
  axes              TEXT,              -- the axis group, joined by +
  reason            TEXT,              -- of a miss
  neighbours        TEXT NOT NULL,     -- JSON array: the measurements that the prediction rests on
  PRIMARY KEY (holdout_run_id, sample),
  CHECK ((predicted_us IS NULL) = (source = 'MISS')),
  CHECK ((relative_error IS NULL) = (source = 'MISS')),
  CHECK ((reason IS NOT NULL) = (source = 'MISS'))
) STRICT, WITHOUT ROWID;

CREATE VIEW holdout_misses AS
-- Why did held-out coordinates miss, per kernel and path?
SELECT holdout_run_id, kernel, path, reason, count(*) AS samples
FROM holdout_sample
WHERE source = 'MISS'
GROUP BY holdout_run_id, kernel, path, reason;

CREATE VIEW holdout_summary AS
-- How well did the lookup predict what was left out? Per kernel, path, dimension and axis group; percentiles by
-- linear interpolation between the two nearest samples.
WITH ranked AS (
  SELECT s.*, abs(relative_error) AS error,
         row_number() OVER (PARTITION BY holdout_run_id, kernel, path, source, dim, axes ORDER BY abs(relative_error)) - 1 AS position,
         count(*) OVER (PARTITION BY holdout_run_id, kernel, path, source, dim, axes) AS samples
  FROM holdout_sample AS s
  WHERE source <> 'MISS'
)
SELECT holdout_run_id, kernel, path, source, dim, axes, count(*) AS samples,
       sum(error * max(0, 1 - abs(position - 0.50 * (samples - 1)))) AS median_error,
       sum(error * max(0, 1 - abs(position - 0.90 * (samples - 1)))) AS p90_error,
       sum(error * max(0, 1 - abs(position - 0.95 * (samples - 1)))) AS p95_error,
       max(error) AS max_error
FROM ranked
GROUP BY holdout_run_id, kernel, path, source, dim, axes;
