// The table of all types of providers: the alternatives of `provider_config`, in their order.
#include "monitoring/notifications/providers/provider_types.hpp"

#include "svc/monitoring/notifications/schedule.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>

namespace svc::notifications {

namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

using provider_rows = std::array<provider_row const*, provider_type_count>;

template <class... Configs>
constexpr provider_rows rows_of(std::variant<Configs...> const* /*type*/) {
  static_assert(sizeof...(Configs) == provider_type_count, "each provider_type has its config in provider_config");
  return {&Configs::row...};
}

constexpr provider_rows all_rows = rows_of(static_cast<provider_config const*>(nullptr));

}  // namespace

provider_row const& row_of(provider_type type) {
  return *all_rows.at(static_cast<std::size_t>(type));
}

std::string_view name_of(provider_type type) {
  return row_of(type).name;
}

std::optional<provider_type> provider_type_named(std::string_view name) {
  auto const found = std::ranges::find_if(all_rows, [name](auto const* row) { return row->name == name; });
  if (found == all_rows.end()) return std::nullopt;
  return static_cast<provider_type>(found - all_rows.begin());
}

std::string_view address_member_of(provider_type type) {
  return row_of(type).address_member;
}

config_default default_member_of(provider_type type) {
  return row_of(type).default_member;
}

result<provider_config> read_config(provider_type type, std::string_view text, secret_string former) {
  json::error_code failed;
  auto const parsed = json::parse({text.data(), text.size()}, failed);
  if (failed || !parsed.is_object())
    return error(errc::validation_failed, "The config cannot be used.", {{"/config", "must be an object"}});
  config_reader reader(parsed.get_object(), std::move(former));
  auto out = row_of(type).read(reader);
  auto problems = std::move(reader).problems();
  if (!problems.empty()) return error(errc::validation_failed, "The config cannot be used.", std::move(problems));
  return out;
}

std::vector<http_post> make_posts(provider_config const& config, message const& message,
                                  text_settings const& settings, timestamp now) {
  auto const& row = row_of(type_of(config));
  return row.compose == nullptr ? std::vector<http_post>() : row.compose(config, message, settings, now);
}

milliseconds pace_of(provider_config const& config, std::optional<unsigned> rate_per_minute) {
  auto const& row = row_of(type_of(config));
  auto const usual = row.pace_of_config == nullptr ? row.pace : row.pace_of_config(config);
  if (!rate_per_minute || *rate_per_minute == 0) return usual;
  return std::max(usual, std::chrono::ceil<milliseconds>(milliseconds(1min) / *rate_per_minute));
}

milliseconds attempt_limit(provider_type type) {
  return row_of(type).attempt_limit;
}

std::chrono::seconds group_time(provider_type type, std::optional<std::chrono::seconds> chosen) {
  auto const& row = row_of(type);
  return row.groups ? chosen.value_or(row.group_time) : 0s;
}

}  // namespace svc::notifications
