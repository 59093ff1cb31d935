-- The current schema: generated from migrations/, do not edit. Version 3.

CREATE TABLE generation (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  number               INTEGER NOT NULL,  -- rises with every import, replacement and re-projection; caches follow it
  last_measurement_id  INTEGER NOT NULL   -- the highest ever given: none is used again, since the query log names them
) STRICT;

CREATE TABLE device (
  device_id  INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE release (
  release_id         INTEGER PRIMARY KEY,
  device_id          INTEGER NOT NULL REFERENCES device,
  framework          TEXT NOT NULL,
  framework_version  TEXT NOT NULL,
  torch_version      TEXT NOT NULL,
  cann_version       TEXT NOT NULL,
  imported_at        TEXT NOT NULL,  -- UTC, ISO 8601
  content_digest     TEXT NOT NULL,  -- SHA-256 over the files' names, kernels and digests and the mapping
  mapping_digest     TEXT NOT NULL,  -- SHA-256 of the mapping in force
  mapping_fields     TEXT NOT NULL,  -- JSON: the mapping's fields outside operators and policies
  synthetic          TEXT NOT NULL DEFAULT '',  -- the notice of a release whose data is made up
  UNIQUE (device_id, framework, framework_version, torch_version, cann_version)
) STRICT;

CREATE TABLE kernel (
  kernel_id  INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE column_list (
  -- The columns of a CSV, in order, shared by the files that have the same.
  column_list_id  INTEGER PRIMARY KEY,
  names           TEXT NOT NULL UNIQUE CHECK (json_valid(names))
) STRICT;

CREATE TABLE source_file (
  source_file_id   INTEGER PRIMARY KEY,
  release_id       INTEGER NOT NULL REFERENCES release ON DELETE CASCADE,
  kernel_id        INTEGER NOT NULL REFERENCES kernel,
  path             TEXT NOT NULL,     -- relative to the release folder, or the file name
  sha256           TEXT NOT NULL,     -- of the bytes as read; '' where the file could not be read
  bytes            INTEGER NOT NULL,
  column_list_id   INTEGER REFERENCES column_list,
  latency_columns  TEXT NOT NULL DEFAULT '[]',  -- JSON: the selected column ('' where the file has none), then the fallbacks
  row_count        INTEGER NOT NULL DEFAULT 0,  -- data rows = measurements + rejected rows
  taken_rows       INTEGER NOT NULL DEFAULT 0,  -- measurements with a usable latency
  unusable_rows    INTEGER NOT NULL DEFAULT 0,  -- measurements without one: evidence, no candidates
  rejected_rows    INTEGER NOT NULL DEFAULT 0,  -- rows that are no measurement
  content_hash     TEXT NOT NULL DEFAULT '',    -- XXH3-128 over the stored measurements; profdb verify recomputes it
  failure          TEXT NOT NULL DEFAULT '',    -- why the file was left out (--keep-going)
  UNIQUE (release_id, path)
) STRICT;

CREATE TABLE tensor_type_list (
  -- Interned dtype and format lists of one direction: JSON arrays of text, slot by slot.
  tensor_type_list_id  INTEGER PRIMARY KEY,
  dtypes               TEXT NOT NULL,
  formats              TEXT NOT NULL,
  UNIQUE (dtypes, formats)
) STRICT;

CREATE TABLE tensor_list (
  -- Interned tensor lists of one direction: a JSON array of shapes, null for an absent slot. Equal lists may
  -- share an entry. No foreign key points here: deleting a release sweeps the entries that nobody uses, and
  -- profdb verify checks the references.
  tensor_list_id       INTEGER PRIMARY KEY,
  tensor_type_list_id  INTEGER NOT NULL,
  shapes               TEXT NOT NULL
) STRICT;

CREATE TABLE field_set (
  -- Interned values of every column that is neither a tensor list nor the row's latency: a JSON array that
  -- runs along the file's column_list, null where the column is stored elsewhere.
  field_set_id    INTEGER PRIMARY KEY,
  field_values    TEXT NOT NULL
) STRICT;

CREATE TABLE measurement (
  -- One row of a CSV. measurement_id rises with row_number within a file and with the files of an import.
  measurement_id    INTEGER PRIMARY KEY,
  source_file_id    INTEGER NOT NULL REFERENCES source_file ON DELETE CASCADE,
  row_number        INTEGER NOT NULL,  -- data rows of the file, from 1
  input_list_id     INTEGER NOT NULL,  -- tensor_list
  output_list_id    INTEGER NOT NULL,  -- tensor_list
  field_set_id      INTEGER NOT NULL,  -- field_set
  latency_us        REAL CHECK (latency_us > 0 AND latency_us < 9e999),
  latency_column    INTEGER,           -- index into source_file.latency_columns; 0 is the selected one
  unusable_reason   TEXT CHECK (unusable_reason IN ('latency_zero', 'latency_invalid')),
  CHECK ((latency_us IS NULL) = (unusable_reason IS NOT NULL)),
  CHECK ((latency_us IS NULL) = (latency_column IS NULL))
) STRICT;

CREATE TABLE rejected_row (
  -- A row of a CSV that is no measurement, as it stood. Nothing of a file is lost.
  rejected_row_id  INTEGER PRIMARY KEY,
  source_file_id   INTEGER NOT NULL REFERENCES source_file ON DELETE CASCADE,
  row_number       INTEGER NOT NULL,
  line             INTEGER NOT NULL,
  reason           TEXT NOT NULL,
  detail           TEXT NOT NULL,
  cells            TEXT NOT NULL  -- JSON array of the cells
) STRICT;

CREATE TABLE op_mapping (
  -- The mapping as imported, so that the file alone is enough for a simulator.
  op_mapping_id           INTEGER PRIMARY KEY,
  release_id              INTEGER NOT NULL REFERENCES release ON DELETE CASCADE,
  op                      TEXT NOT NULL,
  category                TEXT NOT NULL,
  query_mode              TEXT,
  compute_subcategory     TEXT,
  tc_input_count          INTEGER,
  zero_cost               INTEGER NOT NULL,
  accepted_miss           TEXT,
  accepted_miss_when      TEXT,  -- JSON object: attr -> value
  composite               INTEGER NOT NULL,
  api_path                TEXT,
  expected_input_formats  TEXT NOT NULL,  -- JSON array
  notes                   TEXT,
  unknown_fields          TEXT NOT NULL,  -- JSON object: kept as they stood
  path                    TEXT,  -- the path of the contract that the operator reaches; NULL where none
  UNIQUE (release_id, op)
) STRICT;

CREATE TABLE op_mapping_kernel (
  op_mapping_id  INTEGER NOT NULL REFERENCES op_mapping ON DELETE CASCADE,
  position       INTEGER NOT NULL,  -- 0: kernel_type; then alternate_kernel_types in order
  kernel_id      INTEGER NOT NULL REFERENCES kernel,
  projection_id  INTEGER REFERENCES projection,  -- how the kernel's rows answer the operator; NULL where it reaches no path
  PRIMARY KEY (op_mapping_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE kernel_policy (
  release_id             INTEGER NOT NULL REFERENCES release ON DELETE CASCADE,
  position               INTEGER NOT NULL,  -- in the mapping, from 0
  kernel_id              INTEGER NOT NULL REFERENCES kernel,
  max_interpolation_dim  INTEGER,
  axis_transform         TEXT,
  generic_compute_axis   TEXT,
  unknown_fields         TEXT NOT NULL,  -- JSON object: kept as they stood
  PRIMARY KEY (release_id, kernel_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE path (
  -- The lookup paths that there are, and the highest dimension in which each interpolates.
  name     TEXT PRIMARY KEY,
  section  TEXT NOT NULL,  -- of the lookup contract
  max_dim  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projection (
  -- How one path sees the rows of one kernel for the operators that ask alike: what a row projects to depends
  -- on tc_input_count (-1: all inputs) and on the axis policy ('' where the path has none).
  projection_id    INTEGER PRIMARY KEY,
  release_id       INTEGER NOT NULL REFERENCES release ON DELETE CASCADE,
  kernel_id        INTEGER NOT NULL REFERENCES kernel,
  path             TEXT NOT NULL,
  tc_input_count   INTEGER NOT NULL,
  axis_policy      TEXT NOT NULL,
  candidate_count  INTEGER NOT NULL DEFAULT 0,  -- rows that fit the path and have a usable latency
  unusable_count   INTEGER NOT NULL DEFAULT 0,  -- rows that fit the path and have none
  UNIQUE (release_id, path, kernel_id, tc_input_count, axis_policy)
) STRICT;

CREATE TABLE projection_rejection (
  -- Measurements that do not fit a path, and why. Counts by reason for results; rows for people.
  projection_id   INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  reason          TEXT NOT NULL,
  measurement_id  INTEGER NOT NULL,
  PRIMARY KEY (projection_id, reason, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE projection_rejection_count (
  projection_id  INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  reason         TEXT NOT NULL,
  row_count      INTEGER NOT NULL,
  PRIMARY KEY (projection_id, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE base_exact_signature (
  -- Contract §2: the base exact match. A signature holds what every rule keeps equal for a whole class of rows;
  -- a candidate adds what the rules keep per row: the elements of each slot (all exact rules), and slot 0
  -- in blocks of 64, the product of its dimensions / 64, each rounded up (padding as well).
  signature_id   INTEGER PRIMARY KEY,
  projection_id  INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  input_count    INTEGER NOT NULL,
  input_dtypes   TEXT NOT NULL,
  UNIQUE (projection_id, input_count, input_dtypes)
) STRICT;

CREATE TABLE base_exact_candidate (
  signature_id     INTEGER NOT NULL REFERENCES base_exact_signature ON DELETE CASCADE,
  padded_blocks    INTEGER NOT NULL,
  elements         TEXT NOT NULL,     -- per slot, joined by ;
  source_class     INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  measurement_id   INTEGER NOT NULL,
  latency_us       REAL NOT NULL,
  input_shapes     TEXT NOT NULL,     -- logical, per slot, joined by ;
  PRIMARY KEY (signature_id, padded_blocks, elements, source_class, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE matrix_compute_regime (
  -- Contract §3: Matrix multiplication as M, K, N.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  input_count           INTEGER NOT NULL,  -- tensor inputs that take part
  input_dtypes          TEXT NOT NULL,  -- profiler names joined by ;
  lead_a                TEXT NOT NULL,  -- leading dimensions of input 0
  lead_b                TEXT NOT NULL,  -- leading dimensions of input 1
  input_formats         TEXT NOT NULL,  -- groups that never mix in one interpolation
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, input_count, input_dtypes, lead_a, lead_b, input_formats)
) STRICT;

CREATE TABLE matrix_compute_candidate (
  regime_id       INTEGER NOT NULL REFERENCES matrix_compute_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  m               INTEGER NOT NULL,
  k               INTEGER NOT NULL,
  n               INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  -- M last: the first axis group, M at fixed K and N, is then one tight range.
  PRIMARY KEY (regime_id, source_class, n, k, m, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE generic_compute_regime (
  -- Contract §12: Any other kernel, along axis_0 or output_numel as the projection says.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  input_count           INTEGER NOT NULL,  -- tensor inputs that take part
  input_dtypes          TEXT NOT NULL,  -- profiler names joined by ;
  input_0_tail          TEXT NOT NULL,  -- shape of input 0 beyond axis_0; empty under output_numel
  other_input_shapes    TEXT NOT NULL,  -- shapes of the other inputs; empty under output_numel
  output_tail           TEXT NOT NULL,  -- output shape beyond its first dimension; empty under axis_0
  input_formats         TEXT NOT NULL,  -- groups that never mix in one interpolation
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, input_count, input_dtypes, input_0_tail, other_input_shapes, output_tail, input_formats)
) STRICT;

CREATE TABLE generic_compute_candidate (
  regime_id       INTEGER NOT NULL REFERENCES generic_compute_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  axis_0          INTEGER NOT NULL,
  output_numel    INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  PRIMARY KEY (regime_id, source_class, axis_0, output_numel, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE communication_regime (
  -- Contract §4: Collectives by message size.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  num_devices           INTEGER NOT NULL,  -- size of the group
  topology_tier         TEXT NOT NULL,  -- open
  dtype                 TEXT NOT NULL,  -- open
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, num_devices, topology_tier, dtype)
) STRICT;

CREATE TABLE communication_candidate (
  regime_id       INTEGER NOT NULL REFERENCES communication_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  message_bytes   INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  PRIMARY KEY (regime_id, source_class, message_bytes, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE moe_fused_regime (
  -- Contract §6: DispatchFFNCombine by tokens.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  activation_dtype      TEXT NOT NULL,
  activation_format     TEXT NOT NULL,
  quant_subtype         TEXT NOT NULL,  -- plain, w8a8, int4, fp8, mxfp4
  weight_dtype          TEXT NOT NULL,
  gmm1_weight_shape     TEXT NOT NULL,  -- [experts,hidden,n]
  gmm2_weight_shape     TEXT NOT NULL,  -- [experts,n,hidden]
  hidden                INTEGER NOT NULL,
  topk                  INTEGER NOT NULL,  -- experts per token
  ep_size               INTEGER NOT NULL,  -- expert parallelism
  local_experts         INTEGER NOT NULL,  -- open
  gmm1_weight_format    TEXT NOT NULL,  -- open
  gmm2_weight_format    TEXT NOT NULL,  -- open
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, activation_dtype, activation_format, quant_subtype, weight_dtype, gmm1_weight_shape, gmm2_weight_shape, hidden, topk, ep_size, local_experts, gmm1_weight_format, gmm2_weight_format)
) STRICT;

CREATE TABLE moe_fused_candidate (
  regime_id       INTEGER NOT NULL REFERENCES moe_fused_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  tokens          INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  PRIMARY KEY (regime_id, source_class, tokens, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE elementwise_regime (
  -- Contract §7: Broadcasting operators by the shape of their output.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  output_rank           INTEGER NOT NULL,  -- after removing a leading 1
  output_tail           TEXT NOT NULL,  -- dimensions beyond the axes
  input_count           INTEGER NOT NULL,
  broadcast_pattern     TEXT NOT NULL,  -- per input: rank and same/broadcast/missing per output dimension
  input_dtypes          TEXT NOT NULL,
  output_dtype          TEXT NOT NULL,
  input_formats         TEXT NOT NULL,  -- groups that never mix in one interpolation
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, output_rank, output_tail, input_count, broadcast_pattern, input_dtypes, output_dtype, input_formats)
) STRICT;

CREATE TABLE elementwise_candidate (
  regime_id       INTEGER NOT NULL REFERENCES elementwise_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  axis_0          INTEGER NOT NULL,
  axis_1          INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  PRIMARY KEY (regime_id, source_class, axis_0, axis_1, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE attention_lightning_indexer_regime (
  -- Contract §8: LightningIndexer by tokens and cache blocks.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  query_dtype           TEXT NOT NULL,
  cache_dtype           TEXT NOT NULL,
  cache_tail            TEXT NOT NULL,  -- cache shape beyond its first dimension
  query_format          TEXT NOT NULL,
  cache_format          TEXT NOT NULL,
  query_rank            INTEGER NOT NULL,
  heads                 INTEGER NOT NULL,
  head_dim              INTEGER NOT NULL,
  topk                  INTEGER NOT NULL,
  request_group         TEXT NOT NULL,  -- dtypes and shapes of the request metadata, lengths, phase
  api_path              TEXT NOT NULL,  -- open
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, query_dtype, cache_dtype, cache_tail, query_format, cache_format, query_rank, heads, head_dim, topk, request_group, api_path)
) STRICT;

CREATE TABLE attention_lightning_indexer_candidate (
  regime_id       INTEGER NOT NULL REFERENCES attention_lightning_indexer_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  tokens          INTEGER NOT NULL,
  cache_blocks    INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  PRIMARY KEY (regime_id, source_class, tokens, cache_blocks, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE attention_sparse_sharedkv_regime (
  -- Contract §9: SparseFlashAttention by tokens.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  query_dtype           TEXT NOT NULL,
  cache_dtype           TEXT NOT NULL,
  query_format          TEXT NOT NULL,
  cache_format          TEXT NOT NULL,
  heads                 INTEGER NOT NULL,
  head_dim              INTEGER NOT NULL,
  cache_shape           TEXT NOT NULL,  -- the full shape: a capacity, never an axis
  sparse_phase          TEXT NOT NULL,
  selected_topk         INTEGER NOT NULL,
  request_group         TEXT NOT NULL,  -- dtypes and shapes of the request metadata, lengths
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, query_dtype, cache_dtype, query_format, cache_format, heads, head_dim, cache_shape, sparse_phase, selected_topk, request_group)
) STRICT;

CREATE TABLE attention_sparse_sharedkv_candidate (
  regime_id       INTEGER NOT NULL REFERENCES attention_sparse_sharedkv_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  tokens          INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  PRIMARY KEY (regime_id, source_class, tokens, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE compute_scale_regime (
  -- Contract §10: Dynamic quantization scales by M and K.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  input_dtype           TEXT NOT NULL,  -- float16 stays DT_FLOAT16
  input_format          TEXT NOT NULL,
  output_count          INTEGER NOT NULL,
  output_dtypes         TEXT NOT NULL,
  output_formats        TEXT NOT NULL,
  scale_modes           TEXT NOT NULL,  -- of every auxiliary output
  block_size            INTEGER NOT NULL,  -- 0 where not per_block
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, input_dtype, input_format, output_count, output_dtypes, output_formats, scale_modes, block_size)
) STRICT;

CREATE TABLE compute_scale_candidate (
  regime_id       INTEGER NOT NULL REFERENCES compute_scale_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  m               INTEGER NOT NULL,
  k               INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  PRIMARY KEY (regime_id, source_class, m, k, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE quantized_matmul_regime (
  -- Contract §10: Quantized matrix multiplication as M, K, N.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  input_count           INTEGER NOT NULL,
  input_dtypes          TEXT NOT NULL,
  lead_a                TEXT NOT NULL,
  lead_b                TEXT NOT NULL,
  quant_subtype         TEXT NOT NULL,  -- int8, int4, fp8, mxfp4
  output_count          INTEGER NOT NULL,
  output_dtypes         TEXT NOT NULL,
  output_formats        TEXT NOT NULL,
  input_formats         TEXT NOT NULL,  -- open, slot by slot
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, input_count, input_dtypes, lead_a, lead_b, quant_subtype, output_count, output_dtypes, output_formats, input_formats)
) STRICT;

CREATE TABLE quantized_matmul_candidate (
  regime_id       INTEGER NOT NULL REFERENCES quantized_matmul_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  m               INTEGER NOT NULL,
  k               INTEGER NOT NULL,
  n               INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  -- M last: the first axis group, M at fixed K and N, is then one tight range.
  PRIMARY KEY (regime_id, source_class, n, k, m, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE scatter_nd_update_mla_regime (
  -- Contract §11: MLA cache update by tokens.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  cache_dtype           TEXT NOT NULL,
  index_dtype           TEXT NOT NULL,
  update_dtype          TEXT NOT NULL,
  cache_shape           TEXT NOT NULL,  -- the full shape
  update_tail           TEXT NOT NULL,  -- last dimension; empty for rank 1
  cache_format          TEXT NOT NULL,
  index_format          TEXT NOT NULL,
  update_format         TEXT NOT NULL,
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, cache_dtype, index_dtype, update_dtype, cache_shape, update_tail, cache_format, index_format, update_format)
) STRICT;

CREATE TABLE scatter_nd_update_mla_candidate (
  regime_id       INTEGER NOT NULL REFERENCES scatter_nd_update_mla_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  tokens          INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  PRIMARY KEY (regime_id, source_class, tokens, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE attention_special_regime (
  -- Contract §13: FusedInferAttentionScore by sequence length, batch and heads, at equal tokens.
  regime_id             INTEGER PRIMARY KEY,
  projection_id         INTEGER NOT NULL REFERENCES projection ON DELETE CASCADE,
  query_dtype           TEXT NOT NULL,
  sparse_mode           TEXT NOT NULL,  -- "(no column)": the file has none of that name
  kv_heads              TEXT NOT NULL,  -- "(no column)": the file has none of that name
  input_layout          TEXT NOT NULL,  -- "(no column)": the file has none of that name
  phase                 TEXT NOT NULL,  -- empty where the row states none
  quant_mode            TEXT NOT NULL,  -- open
  usable_rows           INTEGER NOT NULL DEFAULT 0,
  unusable_rows         INTEGER NOT NULL DEFAULT 0,
  first_measurement_id  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (projection_id, query_dtype, sparse_mode, kv_heads, input_layout, phase, quant_mode)
) STRICT;

CREATE TABLE attention_special_candidate (
  regime_id       INTEGER NOT NULL REFERENCES attention_special_regime ON DELETE CASCADE,
  source_class    INTEGER NOT NULL CHECK (source_class IN (0, 1)),
  tokens          INTEGER NOT NULL,
  seq             INTEGER NOT NULL,
  batch           INTEGER NOT NULL,
  heads           INTEGER NOT NULL,
  head_dim        INTEGER NOT NULL,
  measurement_id  INTEGER NOT NULL,
  latency_us      REAL NOT NULL CHECK (latency_us > 0),
  PRIMARY KEY (regime_id, source_class, tokens, seq, batch, heads, head_dim, measurement_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE query_log (
  -- What was asked and answered. It outlives releases: no foreign key.
  query_log_id  INTEGER PRIMARY KEY,
  logged_at     TEXT NOT NULL,     -- UTC, ISO 8601
  session       TEXT NOT NULL,     -- one engine's life
  release_id    INTEGER NOT NULL,
  op            TEXT NOT NULL,
  leaf_digest   TEXT NOT NULL,     -- XXH3-128 of the leaf and the engine options
  source        TEXT NOT NULL,     -- MEASURED, INTERPOLATED, COMPATIBLE, MISS
  latency_us    REAL,
  kernel        TEXT,
  path          TEXT,
  regime        TEXT,              -- JSON object
  method        TEXT,
  dim           INTEGER,
  axes          TEXT,              -- JSON array
  reason        TEXT,              -- of a miss
  details       TEXT NOT NULL,     -- the whole result as JSON
  elapsed_ns    INTEGER NOT NULL
) STRICT;

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

CREATE INDEX source_file_kernel
  -- Serves: the files of a kernel in a release.
  ON source_file (release_id, kernel_id);

CREATE INDEX measurement_source_file
  -- Serves: the rows of a file in order (re-projection, verify, deleting a release).
  ON measurement (source_file_id);

CREATE INDEX rejected_row_source_file
  -- Serves: the rejected rows of a file (verify, deleting a release).
  ON rejected_row (source_file_id);

CREATE INDEX serving_request_of_run ON serving_request (run_id, level, attempt, phase, slot);

CREATE INDEX serving_verdict_of_round ON serving_verdict (round_id, part, verdict_id);

CREATE VIEW regime AS
-- What is each regime: its fields as JSON, and how many rows it has?
SELECT 'matrix_compute' AS path, r.regime_id, r.projection_id, json_object('input_count', r.input_count, 'input_dtypes', r.input_dtypes, 'lead_a', r.lead_a, 'lead_b', r.lead_b, 'input_formats', r.input_formats) AS fields, r.usable_rows, r.unusable_rows
FROM matrix_compute_regime AS r
UNION ALL
SELECT 'generic_compute' AS path, r.regime_id, r.projection_id, json_object('input_count', r.input_count, 'input_dtypes', r.input_dtypes, 'input_0_tail', r.input_0_tail, 'other_input_shapes', r.other_input_shapes, 'output_tail', r.output_tail, 'input_formats', r.input_formats) AS fields, r.usable_rows, r.unusable_rows
FROM generic_compute_regime AS r
UNION ALL
SELECT 'communication' AS path, r.regime_id, r.projection_id, json_object('num_devices', r.num_devices, 'topology_tier', r.topology_tier, 'dtype', r.dtype) AS fields, r.usable_rows, r.unusable_rows
FROM communication_regime AS r
UNION ALL
SELECT 'moe_fused' AS path, r.regime_id, r.projection_id, json_object('activation_dtype', r.activation_dtype, 'activation_format', r.activation_format, 'quant_subtype', r.quant_subtype, 'weight_dtype', r.weight_dtype, 'gmm1_weight_shape', r.gmm1_weight_shape, 'gmm2_weight_shape', r.gmm2_weight_shape, 'hidden', r.hidden, 'topk', r.topk, 'ep_size', r.ep_size, 'local_experts', r.local_experts, 'gmm1_weight_format', r.gmm1_weight_format, 'gmm2_weight_format', r.gmm2_weight_format) AS fields, r.usable_rows, r.unusable_rows
FROM moe_fused_regime AS r
UNION ALL
SELECT 'elementwise' AS path, r.regime_id, r.projection_id, json_object('output_rank', r.output_rank, 'output_tail', r.output_tail, 'input_count', r.input_count, 'broadcast_pattern', r.broadcast_pattern, 'input_dtypes', r.input_dtypes, 'output_dtype', r.output_dtype, 'input_formats', r.input_formats) AS fields, r.usable_rows, r.unusable_rows
FROM elementwise_regime AS r
UNION ALL
SELECT 'attention_lightning_indexer' AS path, r.regime_id, r.projection_id, json_object('query_dtype', r.query_dtype, 'cache_dtype', r.cache_dtype, 'cache_tail', r.cache_tail, 'query_format', r.query_format, 'cache_format', r.cache_format, 'query_rank', r.query_rank, 'heads', r.heads, 'head_dim', r.head_dim, 'topk', r.topk, 'request_group', r.request_group, 'api_path', r.api_path) AS fields, r.usable_rows, r.unusable_rows
FROM attention_lightning_indexer_regime AS r
UNION ALL
SELECT 'attention_sparse_sharedkv' AS path, r.regime_id, r.projection_id, json_object('query_dtype', r.query_dtype, 'cache_dtype', r.cache_dtype, 'query_format', r.query_format, 'cache_format', r.cache_format, 'heads', r.heads, 'head_dim', r.head_dim, 'cache_shape', r.cache_shape, 'sparse_phase', r.sparse_phase, 'selected_topk', r.selected_topk, 'request_group', r.request_group) AS fields, r.usable_rows, r.unusable_rows
FROM attention_sparse_sharedkv_regime AS r
UNION ALL
SELECT 'compute_scale' AS path, r.regime_id, r.projection_id, json_object('input_dtype', r.input_dtype, 'input_format', r.input_format, 'output_count', r.output_count, 'output_dtypes', r.output_dtypes, 'output_formats', r.output_formats, 'scale_modes', r.scale_modes, 'block_size', r.block_size) AS fields, r.usable_rows, r.unusable_rows
FROM compute_scale_regime AS r
UNION ALL
SELECT 'quantized_matmul' AS path, r.regime_id, r.projection_id, json_object('input_count', r.input_count, 'input_dtypes', r.input_dtypes, 'lead_a', r.lead_a, 'lead_b', r.lead_b, 'quant_subtype', r.quant_subtype, 'output_count', r.output_count, 'output_dtypes', r.output_dtypes, 'output_formats', r.output_formats, 'input_formats', r.input_formats) AS fields, r.usable_rows, r.unusable_rows
FROM quantized_matmul_regime AS r
UNION ALL
SELECT 'scatter_nd_update_mla' AS path, r.regime_id, r.projection_id, json_object('cache_dtype', r.cache_dtype, 'index_dtype', r.index_dtype, 'update_dtype', r.update_dtype, 'cache_shape', r.cache_shape, 'update_tail', r.update_tail, 'cache_format', r.cache_format, 'index_format', r.index_format, 'update_format', r.update_format) AS fields, r.usable_rows, r.unusable_rows
FROM scatter_nd_update_mla_regime AS r
UNION ALL
SELECT 'attention_special' AS path, r.regime_id, r.projection_id, json_object('query_dtype', r.query_dtype, 'sparse_mode', r.sparse_mode, 'kv_heads', r.kv_heads, 'input_layout', r.input_layout, 'phase', r.phase, 'quant_mode', r.quant_mode) AS fields, r.usable_rows, r.unusable_rows
FROM attention_special_regime AS r;

CREATE VIEW candidate_coordinate AS
-- Every candidate once per axis of its path: its value there, and where it stands on the other axes.
SELECT 'matrix_compute' AS path, c.regime_id, c.source_class, 'M' AS axis, c.m AS value, 'K=' || c.k || ',' || 'N=' || c.n AS others, c.measurement_id, c.latency_us
FROM matrix_compute_candidate AS c
UNION ALL
SELECT 'matrix_compute' AS path, c.regime_id, c.source_class, 'K' AS axis, c.k AS value, 'M=' || c.m || ',' || 'N=' || c.n AS others, c.measurement_id, c.latency_us
FROM matrix_compute_candidate AS c
UNION ALL
SELECT 'matrix_compute' AS path, c.regime_id, c.source_class, 'N' AS axis, c.n AS value, 'M=' || c.m || ',' || 'K=' || c.k AS others, c.measurement_id, c.latency_us
FROM matrix_compute_candidate AS c
UNION ALL
SELECT 'generic_compute' AS path, c.regime_id, c.source_class, 'axis_0' AS axis, c.axis_0 AS value, 'output_numel=' || c.output_numel AS others, c.measurement_id, c.latency_us
FROM generic_compute_candidate AS c
WHERE c.axis_0 >= 0
UNION ALL
SELECT 'generic_compute' AS path, c.regime_id, c.source_class, 'output_numel' AS axis, c.output_numel AS value, 'axis_0=' || c.axis_0 AS others, c.measurement_id, c.latency_us
FROM generic_compute_candidate AS c
WHERE c.output_numel >= 0
UNION ALL
SELECT 'communication' AS path, c.regime_id, c.source_class, 'message_bytes' AS axis, c.message_bytes AS value, '' AS others, c.measurement_id, c.latency_us
FROM communication_candidate AS c
UNION ALL
SELECT 'moe_fused' AS path, c.regime_id, c.source_class, 'tokens' AS axis, c.tokens AS value, '' AS others, c.measurement_id, c.latency_us
FROM moe_fused_candidate AS c
UNION ALL
SELECT 'elementwise' AS path, c.regime_id, c.source_class, 'axis_0' AS axis, c.axis_0 AS value, 'axis_1=' || c.axis_1 AS others, c.measurement_id, c.latency_us
FROM elementwise_candidate AS c
UNION ALL
SELECT 'elementwise' AS path, c.regime_id, c.source_class, 'axis_1' AS axis, c.axis_1 AS value, 'axis_0=' || c.axis_0 AS others, c.measurement_id, c.latency_us
FROM elementwise_candidate AS c
WHERE c.axis_1 >= 0
UNION ALL
SELECT 'attention_lightning_indexer' AS path, c.regime_id, c.source_class, 'tokens' AS axis, c.tokens AS value, 'cache_blocks=' || c.cache_blocks AS others, c.measurement_id, c.latency_us
FROM attention_lightning_indexer_candidate AS c
UNION ALL
SELECT 'attention_lightning_indexer' AS path, c.regime_id, c.source_class, 'cache_blocks' AS axis, c.cache_blocks AS value, 'tokens=' || c.tokens AS others, c.measurement_id, c.latency_us
FROM attention_lightning_indexer_candidate AS c
UNION ALL
SELECT 'attention_sparse_sharedkv' AS path, c.regime_id, c.source_class, 'tokens' AS axis, c.tokens AS value, '' AS others, c.measurement_id, c.latency_us
FROM attention_sparse_sharedkv_candidate AS c
UNION ALL
SELECT 'compute_scale' AS path, c.regime_id, c.source_class, 'M' AS axis, c.m AS value, 'K=' || c.k AS others, c.measurement_id, c.latency_us
FROM compute_scale_candidate AS c
UNION ALL
SELECT 'compute_scale' AS path, c.regime_id, c.source_class, 'K' AS axis, c.k AS value, 'M=' || c.m AS others, c.measurement_id, c.latency_us
FROM compute_scale_candidate AS c
UNION ALL
SELECT 'quantized_matmul' AS path, c.regime_id, c.source_class, 'M' AS axis, c.m AS value, 'K=' || c.k || ',' || 'N=' || c.n AS others, c.measurement_id, c.latency_us
FROM quantized_matmul_candidate AS c
UNION ALL
SELECT 'quantized_matmul' AS path, c.regime_id, c.source_class, 'K' AS axis, c.k AS value, 'M=' || c.m || ',' || 'N=' || c.n AS others, c.measurement_id, c.latency_us
FROM quantized_matmul_candidate AS c
UNION ALL
SELECT 'quantized_matmul' AS path, c.regime_id, c.source_class, 'N' AS axis, c.n AS value, 'M=' || c.m || ',' || 'K=' || c.k AS others, c.measurement_id, c.latency_us
FROM quantized_matmul_candidate AS c
UNION ALL
SELECT 'scatter_nd_update_mla' AS path, c.regime_id, c.source_class, 'tokens' AS axis, c.tokens AS value, '' AS others, c.measurement_id, c.latency_us
FROM scatter_nd_update_mla_candidate AS c
UNION ALL
SELECT 'attention_special' AS path, c.regime_id, c.source_class, 'tokens' AS axis, c.tokens AS value, 'seq=' || c.seq || ',' || 'batch=' || c.batch || ',' || 'heads=' || c.heads || ',' || 'head_dim=' || c.head_dim AS others, c.measurement_id, c.latency_us
FROM attention_special_candidate AS c
UNION ALL
SELECT 'attention_special' AS path, c.regime_id, c.source_class, 'seq' AS axis, c.seq AS value, 'tokens=' || c.tokens || ',' || 'batch=' || c.batch || ',' || 'heads=' || c.heads || ',' || 'head_dim=' || c.head_dim AS others, c.measurement_id, c.latency_us
FROM attention_special_candidate AS c
UNION ALL
SELECT 'attention_special' AS path, c.regime_id, c.source_class, 'batch' AS axis, c.batch AS value, 'tokens=' || c.tokens || ',' || 'seq=' || c.seq || ',' || 'heads=' || c.heads || ',' || 'head_dim=' || c.head_dim AS others, c.measurement_id, c.latency_us
FROM attention_special_candidate AS c
WHERE c.batch >= 0
UNION ALL
SELECT 'attention_special' AS path, c.regime_id, c.source_class, 'heads' AS axis, c.heads AS value, 'tokens=' || c.tokens || ',' || 'seq=' || c.seq || ',' || 'batch=' || c.batch || ',' || 'head_dim=' || c.head_dim AS others, c.measurement_id, c.latency_us
FROM attention_special_candidate AS c
UNION ALL
SELECT 'attention_special' AS path, c.regime_id, c.source_class, 'head_dim' AS axis, c.head_dim AS value, 'tokens=' || c.tokens || ',' || 'seq=' || c.seq || ',' || 'batch=' || c.batch || ',' || 'heads=' || c.heads AS others, c.measurement_id, c.latency_us
FROM attention_special_candidate AS c;

CREATE VIEW candidate AS
-- Every candidate of every path once, its coordinate as text.
SELECT 'matrix_compute' AS path, c.regime_id, c.source_class, 'M=' || c.m || ',K=' || c.k || ',N=' || c.n AS coordinate, c.measurement_id, c.latency_us
FROM matrix_compute_candidate AS c
UNION ALL
SELECT 'generic_compute' AS path, c.regime_id, c.source_class, 'axis_0=' || c.axis_0 || ',output_numel=' || c.output_numel AS coordinate, c.measurement_id, c.latency_us
FROM generic_compute_candidate AS c
UNION ALL
SELECT 'communication' AS path, c.regime_id, c.source_class, 'message_bytes=' || c.message_bytes AS coordinate, c.measurement_id, c.latency_us
FROM communication_candidate AS c
UNION ALL
SELECT 'moe_fused' AS path, c.regime_id, c.source_class, 'tokens=' || c.tokens AS coordinate, c.measurement_id, c.latency_us
FROM moe_fused_candidate AS c
UNION ALL
SELECT 'elementwise' AS path, c.regime_id, c.source_class, 'axis_0=' || c.axis_0 || ',axis_1=' || c.axis_1 AS coordinate, c.measurement_id, c.latency_us
FROM elementwise_candidate AS c
UNION ALL
SELECT 'attention_lightning_indexer' AS path, c.regime_id, c.source_class, 'tokens=' || c.tokens || ',cache_blocks=' || c.cache_blocks AS coordinate, c.measurement_id, c.latency_us
FROM attention_lightning_indexer_candidate AS c
UNION ALL
SELECT 'attention_sparse_sharedkv' AS path, c.regime_id, c.source_class, 'tokens=' || c.tokens AS coordinate, c.measurement_id, c.latency_us
FROM attention_sparse_sharedkv_candidate AS c
UNION ALL
SELECT 'compute_scale' AS path, c.regime_id, c.source_class, 'M=' || c.m || ',K=' || c.k AS coordinate, c.measurement_id, c.latency_us
FROM compute_scale_candidate AS c
UNION ALL
SELECT 'quantized_matmul' AS path, c.regime_id, c.source_class, 'M=' || c.m || ',K=' || c.k || ',N=' || c.n AS coordinate, c.measurement_id, c.latency_us
FROM quantized_matmul_candidate AS c
UNION ALL
SELECT 'scatter_nd_update_mla' AS path, c.regime_id, c.source_class, 'tokens=' || c.tokens AS coordinate, c.measurement_id, c.latency_us
FROM scatter_nd_update_mla_candidate AS c
UNION ALL
SELECT 'attention_special' AS path, c.regime_id, c.source_class, 'tokens=' || c.tokens || ',seq=' || c.seq || ',batch=' || c.batch || ',heads=' || c.heads || ',head_dim=' || c.head_dim AS coordinate, c.measurement_id, c.latency_us
FROM attention_special_candidate AS c;

CREATE VIEW duplicate_coordinates AS
-- Which coordinates were measured more than once, and how far apart are the latencies? (contract §5: spread)
SELECT c.path, p.release_id, k.name AS kernel, c.regime_id, iif(c.source_class = 0, 'selected', 'fallback') AS source_class,
       c.coordinate, count(*) AS points, min(c.latency_us) AS min_latency_us, max(c.latency_us) AS max_latency_us
FROM candidate AS c
JOIN regime AS r ON r.path = c.path AND r.regime_id = c.regime_id
JOIN projection AS p ON p.projection_id = r.projection_id
JOIN kernel AS k ON k.kernel_id = p.kernel_id
GROUP BY c.path, c.regime_id, c.source_class, c.coordinate
HAVING count(*) > 1;

CREATE VIEW candidate_density AS
-- Where are measurements dense, where sparse? Per regime, source class and axis: points, distinct values,
-- range, and the largest step between neighbours, absolute and as a ratio.
WITH distinct_value AS (
  SELECT path, regime_id, source_class, axis, value, count(*) AS points
  FROM candidate_coordinate
  GROUP BY path, regime_id, source_class, axis, value
), step AS (
  SELECT *, lag(value) OVER (PARTITION BY path, regime_id, source_class, axis ORDER BY value) AS previous
  FROM distinct_value
)
SELECT s.path, rel.release_id, k.name AS kernel, s.regime_id, r.fields AS regime,
       iif(s.source_class = 0, 'selected', 'fallback') AS source_class, s.axis,
       sum(s.points) AS points, count(*) AS distinct_values, min(s.value) AS min, max(s.value) AS max,
       max(s.value - s.previous) AS largest_gap,
       max(iif(s.previous > 0, CAST(s.value AS REAL) / s.previous, NULL)) AS largest_ratio
FROM step AS s
JOIN regime AS r ON r.path = s.path AND r.regime_id = s.regime_id
JOIN projection AS p ON p.projection_id = r.projection_id
JOIN release AS rel ON rel.release_id = p.release_id
JOIN kernel AS k ON k.kernel_id = p.kernel_id
GROUP BY s.path, s.regime_id, s.source_class, s.axis;

CREATE VIEW rejections AS
-- Which rows were not used, and why? path 'import': the row is no measurement, or has no usable latency;
-- otherwise the path that could not project it.
SELECT f.release_id, k.name AS kernel, f.path AS file, 'import' AS path, x.reason, count(*) AS row_count
FROM rejected_row AS x
JOIN source_file AS f USING (source_file_id)
JOIN kernel AS k USING (kernel_id)
GROUP BY f.source_file_id, x.reason
UNION ALL
SELECT f.release_id, k.name, f.path, 'import', m.unusable_reason, count(*)
FROM measurement AS m
JOIN source_file AS f USING (source_file_id)
JOIN kernel AS k USING (kernel_id)
WHERE m.unusable_reason IS NOT NULL
GROUP BY f.source_file_id, m.unusable_reason
UNION ALL
SELECT p.release_id, k.name, f.path, p.path, x.reason, count(*)
FROM projection_rejection AS x
JOIN projection AS p USING (projection_id)
JOIN kernel AS k USING (kernel_id)
JOIN measurement AS m USING (measurement_id)
JOIN source_file AS f ON f.source_file_id = m.source_file_id
GROUP BY p.projection_id, f.source_file_id, x.reason;

CREATE VIEW measurement_tensor AS
-- The tensors of every measurement, one row per direction and slot.
SELECT m.measurement_id, 'input' AS direction, s.key AS slot, s.value AS shape,
       json_extract(t.dtypes, '$[' || s.key || ']') AS dtype, json_extract(t.formats, '$[' || s.key || ']') AS format
FROM measurement AS m
JOIN tensor_list AS l ON l.tensor_list_id = m.input_list_id
JOIN tensor_type_list AS t USING (tensor_type_list_id), json_each(l.shapes) AS s
UNION ALL
SELECT m.measurement_id, 'output', s.key, s.value,
       json_extract(t.dtypes, '$[' || s.key || ']'), json_extract(t.formats, '$[' || s.key || ']')
FROM measurement AS m
JOIN tensor_list AS l ON l.tensor_list_id = m.output_list_id
JOIN tensor_type_list AS t USING (tensor_type_list_id), json_each(l.shapes) AS s;

CREATE VIEW measurement_field AS
-- Every other column of every measurement, by name.
SELECT m.measurement_id, n.value AS name, v.value AS value
FROM measurement AS m
JOIN source_file AS f USING (source_file_id)
JOIN column_list AS c USING (column_list_id)
JOIN field_set AS s USING (field_set_id), json_each(c.names) AS n, json_each(s.field_values) AS v
WHERE v.key = n.key AND v.value IS NOT NULL;

CREATE VIEW measurement_row AS
-- The measurements with their release, kernel, file and the column that their latency comes from.
SELECT m.measurement_id, f.release_id, k.name AS kernel, f.path AS file, m.row_number,
       i.shapes AS input_shapes, it.dtypes AS input_dtypes, it.formats AS input_formats,
       o.shapes AS output_shapes, ot.dtypes AS output_dtypes, ot.formats AS output_formats,
       m.latency_us, iif(m.latency_column IS NULL, NULL, iif(m.latency_column = 0, 'selected', 'fallback')) AS source_class,
       json_extract(f.latency_columns, '$[' || m.latency_column || ']') AS latency_column, m.unusable_reason
FROM measurement AS m
JOIN source_file AS f USING (source_file_id)
JOIN kernel AS k USING (kernel_id)
JOIN tensor_list AS i ON i.tensor_list_id = m.input_list_id
JOIN tensor_type_list AS it ON it.tensor_type_list_id = i.tensor_type_list_id
JOIN tensor_list AS o ON o.tensor_list_id = m.output_list_id
JOIN tensor_type_list AS ot ON ot.tensor_type_list_id = o.tensor_type_list_id;

CREATE VIEW lookup_summary AS
-- What did lookups return, per operator and kernel?
SELECT release_id, op, source, kernel, path, method, dim, axes, count(*) AS lookups,
       min(latency_us) AS min_latency_us, max(latency_us) AS max_latency_us, avg(elapsed_ns) / 1000.0 AS mean_elapsed_us
FROM query_log
GROUP BY release_id, op, source, kernel, path, method, dim, axes;

CREATE VIEW miss_reasons AS
-- Why did lookups miss, and for which operators?
SELECT release_id, op, reason, path, count(*) AS lookups, count(DISTINCT leaf_digest) AS distinct_calls
FROM query_log
WHERE source = 'MISS'
GROUP BY release_id, op, reason, path;

CREATE VIEW release_coverage AS
-- What can each operator of a mapping be answered from? One row per operator and kernel: the path it reaches, the
-- highest dimension that path and policy allow, whether there is data, and how many regimes can be interpolated along
-- one axis at least, and along which.
SELECT o.release_id, o.op, o.path, o.tc_input_count, k.name AS kernel, x.position,
       CASE WHEN o.composite THEN 'composite'
            WHEN o.zero_cost THEN 'zero_cost'
            WHEN o.accepted_miss IS NOT NULL AND o.accepted_miss_when IS NULL THEN 'accepted_miss'
            WHEN o.path IS NULL THEN 'no_path'
            WHEN p.candidate_count > 0 THEN 'data'
            WHEN EXISTS (SELECT 1 FROM source_file AS f WHERE f.release_id = o.release_id AND f.kernel_id = x.kernel_id) THEN 'no_usable_rows'
            ELSE 'no_data' END AS coverage,
       min(path.max_dim, coalesce(own.max_interpolation_dim, first.max_interpolation_dim, path.max_dim)) AS max_dim,
       coalesce(p.candidate_count, 0) AS candidates,
       (SELECT count(DISTINCT i.regime_id) FROM interpolable_regimes AS i WHERE i.projection_id = p.projection_id) AS interpolable_regimes,
       (SELECT group_concat(DISTINCT i.axis) FROM interpolable_regimes AS i WHERE i.projection_id = p.projection_id) AS interpolable_axes
FROM op_mapping AS o
LEFT JOIN op_mapping_kernel AS x USING (op_mapping_id)
LEFT JOIN kernel AS k ON k.kernel_id = x.kernel_id
LEFT JOIN projection AS p ON p.projection_id = x.projection_id
LEFT JOIN path ON path.name = o.path
LEFT JOIN kernel_policy AS own ON own.release_id = o.release_id AND own.kernel_id = x.kernel_id
LEFT JOIN op_mapping_kernel AS primary_kernel ON primary_kernel.op_mapping_id = o.op_mapping_id AND primary_kernel.position = 0
LEFT JOIN kernel_policy AS first ON first.release_id = o.release_id AND first.kernel_id = primary_kernel.kernel_id;

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

CREATE TRIGGER serving_verdict_stays BEFORE UPDATE ON serving_verdict
BEGIN
  SELECT raise(ABORT, 'a verdict is never changed; judge again');
END;

CREATE TRIGGER serving_verdict_remains BEFORE DELETE ON serving_verdict
BEGIN
  SELECT raise(ABORT, 'a verdict is never removed');
END;

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
