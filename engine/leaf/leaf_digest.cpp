// The digest by which results are kept: everything in a leaf as bytes without ambiguity, hashed at once.
#include "engine/cache/key.h"
#include "profdb/leaf_op.h"

namespace profdb {
namespace {

void add(cache::KeyBytes& bytes, const Tensor& tensor) {
  bytes.number(std::uint64_t{tensor.shape.size()});
  for (const std::int64_t dimension : tensor.shape) bytes.number(dimension);
  bytes.text(tensor.dtype);
  bytes.tag(tensor.format ? '1' : '0');
  if (tensor.format) bytes.text(*tensor.format);
}

void add(cache::KeyBytes& bytes, const std::vector<Tensor>& tensors) {
  bytes.number(std::uint64_t{tensors.size()});
  for (const Tensor& tensor : tensors) add(bytes, tensor);
}

// An object's members come sorted by key: nlohmann::json keeps them so.
void add(cache::KeyBytes& bytes, const nlohmann::json& value) {
  bytes.tag(static_cast<char>('a' + static_cast<int>(value.type())));
  switch (value.type()) {
    case nlohmann::json::value_t::object:
      bytes.number(std::uint64_t{value.size()});
      for (const auto& [key, member] : value.items()) {
        bytes.text(key);
        add(bytes, member);
      }
      break;
    case nlohmann::json::value_t::array:
      bytes.number(std::uint64_t{value.size()});
      for (const auto& member : value) add(bytes, member);
      break;
    case nlohmann::json::value_t::string:
      bytes.text(value.get_ref<const std::string&>());
      break;
    case nlohmann::json::value_t::boolean:
      bytes.tag(value.get<bool>() ? '1' : '0');
      break;
    case nlohmann::json::value_t::number_integer:
      bytes.number(value.get<std::int64_t>());
      break;
    case nlohmann::json::value_t::number_unsigned:
      bytes.number(value.get<std::uint64_t>());
      break;
    case nlohmann::json::value_t::number_float:
      bytes.real(value.get<double>());
      break;
    case nlohmann::json::value_t::binary:
    case nlohmann::json::value_t::null:
    case nlohmann::json::value_t::discarded:
      break;
  }
}

}  // namespace

LeafDigest digest(const LeafOp& leaf) {
  cache::KeyBytes& bytes = cache::KeyBytes::scratch();
  bytes.text(leaf.op);
  bytes.number(std::uint64_t{leaf.inputs.size()});
  for (const Argument& argument : leaf.inputs) {
    bytes.tag(static_cast<char>('0' + static_cast<int>(argument.kind)));
    bytes.text(argument.role);
    add(bytes, argument.tensors);
  }
  add(bytes, leaf.outputs);
  add(bytes, leaf.attrs);
  bytes.tag(leaf.prior_latency_us ? '1' : '0');
  if (leaf.prior_latency_us) bytes.real(*leaf.prior_latency_us);
  return bytes.key();
}

PreparedLeaf::PreparedLeaf(LeafOp leaf) {
  validate(leaf);
  digest_ = profdb::digest(leaf);
  leaf_ = std::make_shared<const LeafOp>(std::move(leaf));
}

}  // namespace profdb
