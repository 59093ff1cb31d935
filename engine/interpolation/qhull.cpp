// Runs Qhull's reentrant library and copies what we need out of its structures.
#include "engine/interpolation/qhull.h"

extern "C" {
#include <libqhull_r/libqhull_r.h>
}

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

namespace profdb::interpolation {
namespace {

constexpr std::int32_t kUpperFacet = -1;

// A FILE that collects what Qhull has to say, in place of stderr.
class MessageFile {
 public:
  MessageFile() : file_(open_memstream(&text_, &size_)) {
    if (file_ == nullptr) throw std::bad_alloc();
  }
  ~MessageFile() {
    std::fclose(file_);
    std::free(text_);
  }
  MessageFile(const MessageFile&) = delete;
  MessageFile& operator=(const MessageFile&) = delete;

  std::FILE* file() { return file_; }

  // The paragraph with the error (Qhull numbers errors QH6000 to QH6999), without warnings before it and
  // without what follows: advice for Qhull's command line, and a run id that would differ from run to run.
  std::string error() {
    std::fflush(file_);  // only then are text_ and size_ set
    const std::string_view all(text_, size_);
    const std::size_t start = all.find("QH6");
    const std::string_view rest = start == all.npos ? all : all.substr(start);
    return std::string(rest.substr(0, rest.find("\n\n")));
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

// Owns Qhull's state. Qhull leaves a failing run by longjmp, but qh_new_qhull keeps both ends of the jump
// inside itself, so no object of ours is ever jumped over.
class Run {
 public:
  Run(std::span<const double> coordinates, int dim)
      : points_(coordinates.begin(), coordinates.end()), qh_(std::make_unique<qhT>()) {
    qh_zero(qh_.get(), messages_.file());
    std::array command = std::to_array("qhull d Qbb Qc Qz Q12 Qt");
    const int count = static_cast<int>(points_.size()) / dim;
    failed_ = qh_new_qhull(qh_.get(), dim, count, points_.data(), False, command.data(), nullptr,
                           messages_.file()) != qh_ERRnone;
  }
  ~Run() {
    int pieces = 0;
    int bytes = 0;
    qh_freeqhull(qh_.get(), !qh_ALL);  // the long pieces; the short ones go with their pool
    qh_memfreeshort(qh_.get(), &pieces, &bytes);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  bool failed() const { return failed_; }
  std::string message() { return messages_.error(); }
  qhT* qh() { return qh_.get(); }

 private:
  MessageFile messages_;        // first: Qhull may write to it until the very end
  std::vector<double> points_;  // Qhull wants them writable, and keeps a pointer
  std::unique_ptr<qhT> qh_;
  bool failed_ = false;
};

template <class T>
T* element(setT* set, int index) {
  return static_cast<T*>(set->e[index].p);
}

// Numbers the facets of the lower hull in Qhull's order; kUpperFacet are those of the upper hull. Nothing
// where a facet is no simplex, which Qt should have made impossible.
std::optional<std::vector<std::int32_t>> number_facets(qhT* qh, int corners) {
  std::vector<std::int32_t> numbers(qh->facet_id, kUpperFacet);
  std::int32_t next = 0;
  for (facetT* facet = qh->facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next) {
    if (facet->upperdelaunay) continue;
    if (qh_setsize(qh, facet->vertices) != corners || qh_setsize(qh, facet->neighbors) != corners)
      return std::nullopt;
    numbers[facet->id] = next++;
  }
  return numbers;
}

void append(qhT* qh, facetT* facet, const std::vector<std::int32_t>& numbers, int corners, LowerHull& hull) {
  // Triangles are handed out counter-clockwise, as SciPy does: it swaps the first two corners of the others.
  const bool clockwise = facet->toporient == qh_ORIENTclock;
  const int swap = corners == 3 && clockwise ? 1 : 0;
  for (int i = 0; i < corners; ++i) {
    const int k = i < 2 ? i ^ swap : i;
    hull.vertices.push_back(qh_pointid(qh, element<vertexT>(facet->vertices, k)->point));
    hull.neighbours.push_back(numbers[element<facetT>(facet->neighbors, k)->id]);
  }
  hull.planes.insert(hull.planes.end(), facet->normal, facet->normal + corners);
  hull.planes.push_back(facet->offset);
}

}  // namespace

std::variant<LowerHull, std::string> lower_hull(std::span<const double> coordinates, int dim) {
  Run run(coordinates, dim);
  if (run.failed()) return run.message();

  qhT* qh = run.qh();
  const int corners = dim + 1;
  const auto numbers = number_facets(qh, corners);
  if (!numbers) return "Qhull left a facet that is no simplex";

  LowerHull hull;
  for (facetT* facet = qh->facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next)
    if (!facet->upperdelaunay) append(qh, facet, *numbers, corners, hull);

  // Qz adds a point at infinity behind the given ones; only the upper hull should touch it.
  const auto count = static_cast<std::int32_t>(coordinates.size()) / dim;
  for (const std::int32_t vertex : hull.vertices)
    if (vertex < 0 || vertex >= count) return "Qhull left the point at infinity in the lower hull";

  if (qh->SCALElast) {  // Qbb
    hull.scale = qh->last_newhigh / (qh->last_high - qh->last_low);
    hull.shift = -qh->last_low * hull.scale;
  }
  return hull;
}

}  // namespace profdb::interpolation
