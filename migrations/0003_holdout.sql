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

DROP VIEW interpolable_regimes;

CREATE VIEW interpolable_regimes AS
-- Which regimes can be interpolated along which axes? Lines: sets of candidates that differ on this axis only
-- and hold at least two distinct values.
SELECT l.path, p.release_id, p.projection_id, k.name AS kernel, l.regime_id, r.fields AS regime,
       iif(l.source_class = 0, 'selected', 'fallback') AS source_class, l.axis,
       count(*) AS lines, sum(l.points) AS points, max(l.distinct_values) AS longest_line
FROM (
  SELECT path, regime_id, source_class, axis, others, count(*) AS points, count(DISTINCT value) AS distinct_values
  FROM candidate_coordinate
  WHERE NOT (path = 'attention_special' AND axis = 'tokens')  -- must be equal (contract, section 13)
  GROUP BY path, regime_id, source_class, axis, others
  HAVING count(DISTINCT value) > 1
) AS l
JOIN regime AS r ON r.path = l.path AND r.regime_id = l.regime_id
JOIN projection AS p ON p.projection_id = r.projection_id
JOIN kernel AS k ON k.kernel_id = p.kernel_id
GROUP BY l.path, l.regime_id, l.source_class, l.axis;

CREATE VIEW regime_dimensions AS
-- In how many dimensions can a regime be interpolated? 1 where it has a line (interpolable_regimes); 2 and 3 where the
-- path and the kernel's policy allow them, as many axes vary, and there are coordinates enough for a simplex: needed,
-- though a cloud that lies in a plane or on a line can still be denied.
WITH lines AS (
  SELECT DISTINCT path, regime_id, source_class
  FROM interpolable_regimes
), counted AS (
  SELECT c.path, c.regime_id, iif(c.source_class = 0, 'selected', 'fallback') AS source_class,
         count(*) AS points, count(DISTINCT c.coordinate) AS coordinates
  FROM candidate AS c
  GROUP BY c.path, c.regime_id, c.source_class
), varying AS (
  SELECT path, regime_id, source_class, sum(distinct_values > 1) AS varying_axes
  FROM candidate_density
  WHERE NOT (path = 'attention_special' AND axis = 'tokens')  -- must be equal (contract, section 13)
  GROUP BY path, regime_id, source_class
), limited AS (
  SELECT c.path, p.release_id, k.name AS kernel, c.regime_id, c.source_class, c.points, c.coordinates, v.varying_axes,
         min(path.max_dim, coalesce(own.max_interpolation_dim, path.max_dim)) AS max_dim,
         l.regime_id IS NOT NULL AS has_line
  FROM counted AS c
  JOIN varying AS v ON v.path = c.path AND v.regime_id = c.regime_id AND v.source_class = c.source_class
  JOIN regime AS r ON r.path = c.path AND r.regime_id = c.regime_id
  JOIN projection AS p ON p.projection_id = r.projection_id
  JOIN kernel AS k ON k.kernel_id = p.kernel_id
  JOIN path ON path.name = c.path
  LEFT JOIN kernel_policy AS own ON own.release_id = p.release_id AND own.kernel_id = p.kernel_id
  LEFT JOIN lines AS l ON l.path = c.path AND l.regime_id = c.regime_id AND l.source_class = c.source_class
)
SELECT path, release_id, kernel, regime_id, source_class, points, coordinates, varying_axes, max_dim,
       trim(iif(max_dim >= 1 AND has_line, '1', '') ||
            iif(max_dim >= 2 AND varying_axes >= 2 AND coordinates >= 3, ',2', '') ||
            iif(max_dim >= 3 AND varying_axes >= 3 AND coordinates >= 4, ',3', ''), ',') AS possible_dims
FROM limited;
