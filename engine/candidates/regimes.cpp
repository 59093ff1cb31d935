// Open fields and format groups.
#include "engine/candidates/regimes.h"

#include <algorithm>
#include <set>

namespace profdb {
namespace {

bool is_absent(const FieldValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number == kAbsentInteger;
  return std::get<std::string>(value).empty();
}

std::vector<std::string> split_formats(const FieldValue& value) {
  std::vector<std::string> formats;
  const auto& text = std::get<std::string>(value);
  for (std::size_t begin = 0;;) {
    const auto end = text.find(';', begin);
    formats.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return formats;
    begin = end + 1;
  }
}

// One open field: the rows of the stated value, else those that state nothing; for a silent target the rows
// that state nothing, else those of the one value that is stated. `value_of` reads the field of a regime.
template <typename Value, typename ValueOf>
bool narrow_open(std::vector<store::RegimeRow>& regimes, const Value& target, const Value& absent,
                 ValueOf value_of) {
  std::set<Value> values;
  for (const auto& regime : regimes) values.insert(value_of(regime));
  Value chosen = absent;
  if (target != absent && values.contains(target)) {
    chosen = target;
  } else if (target == absent && !values.contains(absent)) {
    if (values.size() > 1) return false;
    if (!values.empty()) chosen = *values.begin();
  }
  std::erase_if(regimes, [&](const auto& regime) { return value_of(regime) != chosen; });
  return true;
}

bool narrow_format_slots(std::vector<store::RegimeRow>& regimes, const FieldValue& target,
                         std::size_t field) {
  const auto wanted = split_formats(target);
  for (std::size_t slot = 0; slot < wanted.size(); ++slot) {
    const auto slot_of = [&](const store::RegimeRow& regime) {
      const auto formats = split_formats(regime.values[field]);
      return slot < formats.size() ? formats[slot] : std::string();
    };
    if (!narrow_open(regimes, wanted[slot], std::string(), slot_of)) return false;
  }
  return true;
}

// Keeps the regimes that have every format that the target states.
void keep_stated_formats(std::vector<store::RegimeRow>& regimes, const FieldValue& target,
                         std::size_t field) {
  const auto wanted = split_formats(target);
  std::erase_if(regimes, [&](const auto& regime) {
    const auto formats = split_formats(regime.values[field]);
    for (std::size_t slot = 0; slot < wanted.size() && slot < formats.size(); ++slot)
      if (!wanted[slot].empty() && wanted[slot] != formats[slot]) return true;
    return false;
  });
}

// All-ND first, then by number of rows, then by first row (contract §3).
void order_format_groups(RegimeGroups& regimes, std::size_t field) {
  const auto is_nd = [&](const store::RegimeRow& regime) {
    const auto formats = split_formats(regime.values[field]);
    return std::all_of(formats.begin(), formats.end(), [](const auto& f) { return f == "ND"; });
  };
  std::stable_sort(regimes.begin(), regimes.end(), [&](const auto& a, const auto& b) {
    if (is_nd(a) != is_nd(b)) return is_nd(a);
    if (a.usable_rows != b.usable_rows) return a.usable_rows > b.usable_rows;
    return a.first_measurement_id < b.first_measurement_id;
  });
}

// Narrows by the open fields that the target states (`stated`), or by those on which it is silent; the reason
// of the field that stays open, or empty.
std::string_view narrow_open_fields(const PathSpec& spec, const std::vector<FieldValue>& target, bool stated,
                                    std::vector<store::RegimeRow>& regimes) {
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    const FieldValue absent = spec.fields[i].is_text ? FieldValue(kAbsentText) : FieldValue(kAbsentInteger);
    if (spec.fields[i].match != Match::open || is_absent(target[i]) == stated) continue;
    if (!narrow_open(regimes, target[i], absent, [&](const auto& r) { return r.values[i]; }))
      return spec.fields[i].unspecified_reason;
  }
  return {};
}

// Narrows by every field that is not exact, first by what the target states; the reason of the field that
// stays open, or empty.
std::string_view narrow(const PathSpec& spec, const std::vector<FieldValue>& target,
                        std::vector<store::RegimeRow>& regimes) {
  narrow_open_fields(spec, target, true, regimes);
  if (const auto reason = narrow_open_fields(spec, target, false, regimes); !reason.empty()) return reason;
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    if (spec.fields[i].match == Match::format_open && !narrow_format_slots(regimes, target[i], i))
      return spec.fields[i].unspecified_reason;
    if (spec.fields[i].match == Match::format_group) {
      keep_stated_formats(regimes, target[i], i);
      order_format_groups(regimes, i);
    }
  }
  return {};
}

bool differs(const RegimeField& field, const FieldValue& target, const FieldValue& measured) {
  if (field.match == Match::exact) return target != measured;
  if (field.match == Match::column) return target != measured && std::get<std::string>(measured) != kNoColumn;
  if (field.match == Match::open) return !is_absent(target) && !is_absent(measured) && target != measured;
  const auto wanted = split_formats(target);
  const auto formats = split_formats(measured);
  for (std::size_t slot = 0; slot < wanted.size() && slot < formats.size(); ++slot)
    if (!wanted[slot].empty() && wanted[slot] != formats[slot]) return true;
  return false;
}

}  // namespace

ResolvedRegimes resolve_regimes(const PathSpec& spec, const std::vector<FieldValue>& target,
                                std::vector<store::RegimeRow> regimes) {
  RegimeGroups usable;
  std::copy_if(regimes.begin(), regimes.end(), std::back_inserter(usable),
               [](const auto& r) { return r.usable_rows > 0; });
  if (const auto reason = narrow(spec, target, usable); !reason.empty())
    return Unfit{reason, "several values were measured and the call names none"};
  if (!usable.empty()) return usable;
  std::erase_if(regimes, [](const auto& r) { return r.usable_rows > 0; });
  if (narrow(spec, target, regimes).empty() && regimes.empty()) return Unfit{"regime_mismatch"};
  return Unfit{"latency_invalid", "every row of the regime lacks a usable latency"};
}

ClosestRegime closest_regime(const PathSpec& spec, const std::vector<FieldValue>& target,
                             const std::string& kernel, const std::vector<store::RegimeRow>& regimes) {
  ClosestRegime closest;
  std::size_t fewest = spec.fields.size() + 1;
  for (const auto& regime : regimes) {
    if (regime.usable_rows == 0) continue;
    std::vector<ClosestRegime::Difference> differences;
    for (std::size_t i = 0; i < spec.fields.size(); ++i)
      if (differs(spec.fields[i], target[i], regime.values[i]))
        differences.push_back({std::string(spec.fields[i].name), target[i], regime.values[i]});
    if (differences.size() > fewest ||
        (differences.size() == fewest && regime.usable_rows <= closest.row_count))
      continue;
    fewest = differences.size();
    closest = {kernel, std::move(differences), regime.usable_rows};
  }
  return closest;
}

NamedValues named_fields(const PathSpec& spec, const std::vector<FieldValue>& values, bool target) {
  const auto is_silent = [&](std::size_t i) {
    if (spec.fields[i].match == Match::open) return is_absent(values[i]);
    if (spec.fields[i].match != Match::format_open && spec.fields[i].match != Match::format_group)
      return false;
    return std::get<std::string>(values[i]).find_first_not_of(';') == std::string::npos;
  };
  NamedValues named;
  named.reserve(values.size());
  for (std::size_t i = 0; i < spec.fields.size(); ++i)
    if (!target || !is_silent(i)) named.emplace_back(spec.fields[i].name, values[i]);
  return named;
}

}  // namespace profdb
