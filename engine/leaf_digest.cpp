// The digest by which results are kept: everything in a leaf as bytes without ambiguity, hashed at once.
#include <xxhash.h>

#include <bit>
#include <cstring>

#include "profdb/leaf_op.h"

namespace profdb {
namespace {

// Grows to the largest leaf of its thread and stays there: a digest allocates nothing.
class Bytes {
 public:
  void clear() { bytes_.clear(); }
  void number(std::uint64_t value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void tag(char value) { bytes_.push_back(value); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  std::string_view view() const { return bytes_; }

 private:
  std::string bytes_;
};

void add(Bytes& bytes, const Tensor& tensor) {
  bytes.number(tensor.shape.size());
  for (const std::int64_t dimension : tensor.shape) bytes.number(static_cast<std::uint64_t>(dimension));
  bytes.text(tensor.dtype);
  bytes.tag(tensor.format ? '1' : '0');
  if (tensor.format) bytes.text(*tensor.format);
}

void add(Bytes& bytes, const std::vector<Tensor>& tensors) {
  bytes.number(tensors.size());
  for (const Tensor& tensor : tensors) add(bytes, tensor);
}

// An object's members come sorted by key: nlohmann::json keeps them so.
void add(Bytes& bytes, const nlohmann::json& value) {
  bytes.tag(static_cast<char>('a' + static_cast<int>(value.type())));
  switch (value.type()) {
    case nlohmann::json::value_t::object:
      bytes.number(value.size());
      for (const auto& [key, member] : value.items()) {
        bytes.text(key);
        add(bytes, member);
      }
      break;
    case nlohmann::json::value_t::array:
      bytes.number(value.size());
      for (const auto& member : value) add(bytes, member);
      break;
    case nlohmann::json::value_t::string:
      bytes.text(value.get_ref<const std::string&>());
      break;
    case nlohmann::json::value_t::boolean:
      bytes.tag(value.get<bool>() ? '1' : '0');
      break;
    case nlohmann::json::value_t::number_integer:
      bytes.number(static_cast<std::uint64_t>(value.get<std::int64_t>()));
      break;
    case nlohmann::json::value_t::number_unsigned:
      bytes.number(value.get<std::uint64_t>());
      break;
    case nlohmann::json::value_t::number_float:
      bytes.number(std::bit_cast<std::uint64_t>(value.get<double>()));
      break;
    case nlohmann::json::value_t::binary:
    case nlohmann::json::value_t::null:
    case nlohmann::json::value_t::discarded:
      break;
  }
}

}  // namespace

LeafDigest digest(const LeafOp& leaf) {
  thread_local Bytes bytes;
  bytes.clear();
  bytes.text(leaf.op);
  bytes.number(leaf.inputs.size());
  for (const Argument& argument : leaf.inputs) {
    bytes.tag(static_cast<char>('0' + static_cast<int>(argument.kind)));
    bytes.text(argument.role);
    add(bytes, argument.tensors);
  }
  add(bytes, leaf.outputs);
  add(bytes, leaf.attrs);
  bytes.tag(leaf.prior_latency_us ? '1' : '0');
  if (leaf.prior_latency_us) bytes.number(std::bit_cast<std::uint64_t>(*leaf.prior_latency_us));
  const XXH128_hash_t hash = XXH3_128bits(bytes.view().data(), bytes.view().size());
  return {hash.high64, hash.low64};
}

PreparedLeaf::PreparedLeaf(LeafOp leaf) {
  validate(leaf);
  digest_ = profdb::digest(leaf);
  leaf_ = std::make_shared<const LeafOp>(std::move(leaf));
}

}  // namespace profdb
