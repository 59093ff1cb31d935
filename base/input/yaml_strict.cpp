// Loading YAML in two passes: the event stream is checked against the limits before a tree is built from it.
#include "base/input/yaml_strict.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "profdb/error.h"

namespace profdb {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMaxNodes = 100'000;
constexpr std::size_t kMaxDepth = 64;

// Checks what the parser reports, event by event.
class Guard final : public YAML::EventHandler {
 public:
  explicit Guard(const std::string& name) : name_(name) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      fail(mark, "a second document, or text that does not belong to the first; keep one mapping in a file");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (at_key()) fail(mark, "a key is empty; write its name");
    leaf(mark, anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, true);
  }
  void OnMapEnd() override { close(); }

 private:
  // What a subtree amounts to once its aliases are expanded.
  struct Size {
    std::size_t nodes = 0;
    std::size_t depth = 0;
  };
  struct Collection {
    YAML::anchor_t anchor = 0;
    bool is_map = false;
    bool key_next = false;
    Size size{1, 1};
    std::unordered_map<std::string, int> key_lines;
  };

  bool at_key() const { return !open_.empty() && open_.back().key_next; }
  void check_key(const YAML::Mark& mark, const std::string& tag, const std::string& key);
  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor);
  void open(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map);
  void close();
  void count(const YAML::Mark& mark, const Size& size);
  void add_to_parent(const Size& size);
  [[noreturn]] void fail(const YAML::Mark& mark, std::string_view message) const {
    fail_at(name_, mark.line + 1, message);
  }

  const std::string& name_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  std::vector<Collection> open_;  // from the root inwards
  std::unordered_map<YAML::anchor_t, Size> anchors_;
};

void Guard::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                     const std::string& value) {
  if (value.find('\0') != std::string::npos) fail(mark, "the text holds a NUL character; remove it");
  if (at_key()) check_key(mark, tag, value);
  leaf(mark, anchor);
}

void Guard::check_key(const YAML::Mark& mark, const std::string& tag, const std::string& key) {
  // YAML 1.1 parsers merge here and YAML 1.2 ones do not: a file must not mean two things.
  if (tag == "?" && key == "<<") fail(mark, "merge keys (<<) are not read; write the fields out");
  const auto [first, is_new] = open_.back().key_lines.emplace(key, mark.line + 1);
  if (is_new) return;
  fail(mark, fmt::format("duplicate key '{}', first on line {}; keep one of them", key, first->second));
}

void Guard::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (at_key()) fail(mark, "an alias stands as a key; write the key out");
  const auto target = anchors_.find(anchor);
  // An anchor is known once its node is complete.
  if (target == anchors_.end()) fail(mark, "an alias stands inside what it refers to; write the value out");
  count(mark, target->second);
  add_to_parent(target->second);
}

void Guard::leaf(const YAML::Mark& mark, YAML::anchor_t anchor) {
  constexpr Size kLeaf{1, 0};
  count(mark, kLeaf);
  add_to_parent(kLeaf);
  if (anchor != 0) anchors_[anchor] = kLeaf;
}

void Guard::open(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map) {
  if (at_key()) fail(mark, "a key is a map or a list; write a name");
  count(mark, {1, 1});
  open_.push_back({.anchor = anchor, .is_map = is_map, .key_next = is_map, .key_lines = {}});
}

void Guard::close() {
  const Size size = open_.back().size;
  if (open_.back().anchor != 0) anchors_[open_.back().anchor] = size;
  open_.pop_back();
  add_to_parent(size);
}

void Guard::count(const YAML::Mark& mark, const Size& size) {
  nodes_ += size.nodes;
  if (nodes_ > kMaxNodes) {
    fail(mark, "more than 100,000 values, aliases expanded; write large aliases out or split the mapping");
  }
  if (open_.size() + size.depth > kMaxDepth) fail(mark, "nested deeper than 64 levels; flatten it");
}

void Guard::add_to_parent(const Size& size) {
  if (open_.empty()) return;
  Collection& parent = open_.back();
  parent.size.nodes += size.nodes;
  parent.size.depth = std::max(parent.size.depth, size.depth + 1);
  if (parent.is_map) parent.key_next = !parent.key_next;
}

void check_bytes(std::string_view text, const std::string& name) {
  if (text.size() > kMaxYamlBytes) {
    fail_at(name, static_cast<int>(count_lines(text.substr(0, kMaxYamlBytes))) + 1,
            "the file passes 16 MiB here; a mapping is smaller: check that this is one");
  }
  TextCheck check;
  const auto bad = check.feed(text);
  if (!bad && check.complete()) return;
  const auto line = static_cast<int>(count_lines(text.substr(0, bad.value_or(text.size())))) + 1;
  fail_at(name, line, "a byte that is not UTF-8 text; save the file as UTF-8");
}

// Text without a sign that std::from_chars would refuse.
std::string_view without_plus(std::string_view text) {
  return text.starts_with('+') ? text.substr(1) : text;
}

template <class T, class... Base>
std::optional<T> parse_all(std::string_view text, Base... base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of("0123456789", at), text.size());
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?   (YAML 1.2.2, 10.3.2)
bool is_core_number(std::string_view text) {
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t whole = skip_digits(text, at) - at;
  at += whole;
  std::size_t fraction = 0;
  if (at < text.size() && text[at] == '.') {
    fraction = skip_digits(text, at + 1) - at - 1;
    at += 1 + fraction;
  }
  if (whole + fraction == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  return at < text.size() && skip_digits(text, at) == text.size();
}

ordered_json number_or_text(const std::string& text) {
  if (text.starts_with("0x") || text.starts_with("0o")) {
    const auto value = parse_all<std::uint64_t>(std::string_view(text).substr(2), text[1] == 'x' ? 16 : 8);
    return value ? ordered_json(*value) : ordered_json(text);
  }
  if (!is_core_number(text)) return text;
  if (text.find_first_of(".eE") == std::string::npos) {
    if (const auto integer = parse_all<std::int64_t>(without_plus(text))) return *integer;
    return text;  // too large to be kept as a number without loss
  }
  if (const auto real = parse_all<double>(without_plus(text))) return *real;
  return text;
}

ordered_json scalar_to_json(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  const std::string& tag = node.Tag();
  const bool resolves = tag == "?" || (tag.starts_with("tag:yaml.org,2002:") && !tag.ends_with(":str"));
  if (!resolves) return text;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return number_or_text(text);
}

}  // namespace

YAML::Node load_yaml(std::string_view text, const std::string& name) {
  check_bytes(text, name);
  // yaml-cpp takes the end of the file for a closing quote; an end of the document is none.
  const std::string document = fmt::format("{}{}...\n", text, text.ends_with('\n') ? "" : "\n");
  try {
    std::istringstream events(document);
    YAML::Parser parser(events);
    Guard guard(name);
    while (parser.HandleNextDocument(guard)) {
    }
    return YAML::Load(document);
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 1 : error.mark.line + 1;
    if (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR)
      fail_at(name, line, "a quoted text is still open here; close its quote");
    fail_at(name, line, fmt::format("not valid YAML: {}; correct it", error.msg));
  }
}

ordered_json to_json(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return scalar_to_json(node);
    case YAML::NodeType::Sequence: {
      ordered_json list = ordered_json::array();
      for (const YAML::Node& item : node) list.push_back(to_json(item));
      return list;
    }
    case YAML::NodeType::Map: {
      ordered_json map = ordered_json::object();
      for (const auto& field : node) add_distinct(map, field.first.Scalar(), to_json(field.second));
      return map;
    }
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      return nullptr;
  }
  return nullptr;
}

void add_distinct(ordered_json& object, const std::string& key, ordered_json value) {
  object.get_ref<ordered_json::object_t&>().emplace_back(key, std::move(value));
}

int line_of(const YAML::Node& node) {
  return node.Mark().line + 1;
}

void fail_at(const std::string& name, int line, std::string_view message) {
  throw Error(ErrorKind::input, fmt::format("{}:{}: {}", name, line, message));
}

}  // namespace profdb
