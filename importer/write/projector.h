// Projects measurements into the regime and candidate tables of the paths that ask for them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/lookup/path.h"
#include "engine/store/database.h"
#include "engine/store/row.h"

namespace profdb::importer {

// What a row becomes in one projection.
struct Projected {
  std::string_view rejection;            // why it does not fit; empty where it does
  std::vector<FieldValue> group;         // the regime's fields, or the signature's (input count, dtypes)
  std::vector<std::int64_t> coordinate;  // along the path's axes; base exact: padded elements
  std::string elements;                  // base exact only
  std::string input_shapes;              // base exact only
};
Projected project(const ProjectionKey& key, const Row& row);

// What else a candidate keeps of its row.
struct Latency {
  std::optional<double> latency_us;
  SourceClass source_class = SourceClass::selected;
  std::string unusable_reason;  // where there is no latency
};

// Where projected rows go: the tables, or a digest of what would go there.
class ProjectionSink {
 public:
  virtual ~ProjectionSink() = default;
  virtual void add(const Projected& projected, std::int64_t measurement_id, const Latency& latency) = 0;
  virtual void flush() = 0;   // writes what is held back, and lets go of its memory
  virtual void finish() = 0;  // flushes, and stores the counters
};

// Creates the projection `key` of a release and writes its rows. Candidates are held back, in about `memory`
// bytes, until they are flushed.
std::unique_ptr<ProjectionSink> make_table_sink(store::Connection& connection, std::int64_t release_id,
                                                std::int64_t kernel_id, const ProjectionKey& key,
                                                std::size_t memory);

// All projections of a release, by kernel.
class Projector {
 public:
  Projector(store::Connection& connection, std::int64_t release_id, const std::vector<ProjectionKey>& keys);
  // The projections of `kernel`, in the order in which add takes what a row becomes in them.
  const std::vector<ProjectionKey>& keys(const std::string& kernel) const;
  void add(const std::string& kernel, const std::vector<Projected>& projected, std::int64_t measurement_id,
           const Latency& latency);
  // Writes what is held back for `kernel`: its memory is then free for the next one.
  void flush(const std::string& kernel);
  void finish();

 private:
  struct Projections {
    std::vector<ProjectionKey> keys;
    std::vector<std::unique_ptr<ProjectionSink>> sinks;
  };
  std::map<std::string, Projections> by_kernel_;
};

// Notes on every operator and kernel of the stored mapping which projection answers it.
void link_projections(store::Connection& connection, std::int64_t release_id, const Mapping& mapping);

// The id of a kernel's name, made where it is new.
std::int64_t kernel_id(store::Connection& connection, const std::string& name);

}  // namespace profdb::importer
