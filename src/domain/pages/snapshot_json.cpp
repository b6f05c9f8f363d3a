// The JSON form of a snapshot, for its copies in Redis. Bars are arrays of numbers and one letter for each day,
// because they are most of the snapshot.
#include "svc/domain/pages/snapshot.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <concepts>

namespace svc::pages {
namespace {

constexpr int snapshot_version = 1;
/// One letter for each status, in their order.
constexpr std::string_view day_letters = "oumdpx";

using object = boost::json::object;
using array = boost::json::array;
using value = boost::json::value;

value optional_time(std::optional<timestamp> const& time) {
  return time ? value(time->micros) : value(nullptr);
}

template <class Item, class Write>
array array_of(std::vector<Item> const& items, Write write) {
  array out;
  out.reserve(items.size());
  for (auto const& item : items) out.push_back(write(item));
  return out;
}

object page_object(page_facts const& page) {
  return {{"id", page.id.to_string()},
          {"slug", page.slug},
          {"name", page.name},
          {"headline", page.headline},
          {"description", page.description},
          {"visibility", to_text(page.visible)},
          {"language", to_text(page.language)},
          {"timeZone", page.time_zone},
          {"accentColor", page.accent_color},
          {"supportUrl", page.support_url},
          {"logoType", page.logo_type},
          {"feeds", page.feeds},
          {"subscribers", page.subscribers}};
}

object component_object(page_component const& component) {
  std::string worst;
  for (auto const& day : component.days) worst += day_letters.at(static_cast<std::size_t>(day.worst));
  auto const& measured = component.measured;
  return {{"id", component.id.to_string()},
          {"name", component.name},
          {"description", component.description},
          {"group", component.group},
          {"status", to_text(measured.status)},
          {"validUntil", measured.valid_until.micros},
          {"evidenceAt", optional_time(measured.evidence_at)},
          {"lastResultAt", optional_time(measured.last_result_at)},
          {"override", component.override_status ? value(to_text(*component.override_status)) : value(nullptr)},
          {"overrideUntil", optional_time(component.override_until)},
          {"showUptime", component.show_uptime},
          {"worst", worst},
          {"up", array_of(component.days, [](day_bar const& day) { return value(day.up_seconds); })},
          {"down", array_of(component.days, [](day_bar const& day) { return value(day.down_seconds); })}};
}

object post_object(post const& post) {
  return {{"id", post.id.to_string()},
          {"status", to_text(post.status)},
          {"body", post.body},
          {"at", post.published_at.micros},
          {"editedAt", optional_time(post.edited_at)}};
}

object incident_object(page_incident const& incident) {
  auto const affected = [](affected_component const& each) {
    return object{{"id", each.id.to_string()}, {"status", to_text(each.status)}};
  };
  return {{"id", incident.id.to_string()},
          {"name", incident.name},
          {"impact", to_text(incident.effect)},
          {"status", to_text(incident.status)},
          {"startedAt", incident.started_at.micros},
          {"resolvedAt", optional_time(incident.resolved_at)},
          {"components", array_of(incident.components, affected)},
          {"posts", array_of(incident.posts, post_object)},
          {"shortened", incident.shortened}};
}

object maintenance_object(page_maintenance const& maintenance) {
  return {{"id", maintenance.id.to_string()},
          {"name", maintenance.name},
          {"startsAt", maintenance.starts_at.micros},
          {"endsAt", maintenance.ends_at.micros},
          {"changedAt", maintenance.changed_at.micros},
          {"sequence", maintenance.sequence},
          {"cancelled", maintenance.cancelled},
          {"components", array_of(maintenance.components, [](uuid const& id) { return value(id.to_string()); })},
          {"posts", array_of(maintenance.posts, post_object)},
          {"shortened", maintenance.shortened}};
}

/// Reads members of one object; `ok()` is false after the first member that is missing or has another form.
class member_reader {
 public:
  explicit member_reader(value const& json) : object_(json.if_object()), ok_(object_ != nullptr) {}

  bool ok() const { return ok_; }

  void get(char const* name, std::string& out) {
    auto const* const found = of_kind(name, &value::if_string);
    if (found != nullptr) out.assign(found->data(), found->size());
  }
  void get(char const* name, bool& out) {
    auto const* const found = of_kind(name, &value::if_bool);
    if (found != nullptr) out = *found;
  }
  void get(char const* name, std::int32_t& out) { get_number(name, out, 0, 1'000'000'000); }
  void get(char const* name, timestamp& out) { get_number(name, out.micros, 0, latest); }
  void get(char const* name, std::optional<timestamp>& out) {
    if (is_null(name)) return;
    timestamp read;
    get(name, read);
    if (ok_) out = read;
  }
  void get(char const* name, uuid& out) { get_parsed(name, out, uuid::parse); }
  /// Reads a text by `parse`, which returns an optional value.
  template <class Value, class Parse>
  void get_parsed(char const* name, Value& out, Parse parse) {
    std::string text;
    get(name, text);
    if (!ok_) return;
    auto const read = parse(text);
    if (read)
      out = *read;
    else
      ok_ = false;
  }
  /// Reads an array of at most `most` items; `read` returns an optional item.
  template <class Item, class Read>
  void get_array(char const* name, std::vector<Item>& out, std::size_t most, Read read) {
    auto const* const found = of_kind(name, &value::if_array);
    if (found == nullptr) return;
    if (found->size() > most) ok_ = false;
    out.reserve(std::min(found->size(), most));
    for (auto each = found->begin(); ok_ && each != found->end(); ++each) {
      std::optional<Item> item = read(*each);
      if (item)
        out.push_back(std::move(*item));
      else
        ok_ = false;
    }
  }
  bool is_null(char const* name) {
    auto const* const found = member(name);
    return found != nullptr && found->is_null();
  }
  void require(bool holds) { ok_ = ok_ && holds; }

 private:
  static constexpr std::int64_t latest = 253'402'300'799'999'999;  // 9999-12-31, in microseconds

  value const* member(char const* name) {
    auto const* const found = ok_ ? object_->if_contains(name) : nullptr;
    if (found == nullptr) ok_ = false;
    return found;
  }
  template <class Kind>
  Kind const* of_kind(char const* name, Kind const* (value::*kind)() const noexcept) {
    auto const* const found = member(name);
    auto const* const out = found == nullptr ? nullptr : (found->*kind)();
    if (out == nullptr) ok_ = false;
    return out;
  }
  template <std::integral Number>
  void get_number(char const* name, Number& out, std::int64_t least, std::int64_t most) {
    auto const* const found = of_kind(name, &value::if_int64);
    if (found == nullptr) return;
    if (*found < least || *found > most)
      ok_ = false;
    else
      out = static_cast<Number>(*found);
  }

  object const* object_;
  bool ok_;
};

template <class Value>
std::optional<Value> finished(member_reader const& members, Value out) {
  return members.ok() ? std::optional<Value>(std::move(out)) : std::nullopt;
}

std::optional<page_facts> read_page(value const& json) {
  member_reader members(json);
  page_facts out;
  members.get("id", out.id);
  members.get("slug", out.slug);
  members.get("name", out.name);
  members.get("headline", out.headline);
  members.get("description", out.description);
  members.get_parsed("visibility", out.visible, visibility_of);
  members.get_parsed("language", out.language, page_language_of);
  members.get("timeZone", out.time_zone);
  members.get("accentColor", out.accent_color);
  members.get("supportUrl", out.support_url);
  members.get("logoType", out.logo_type);
  members.get("feeds", out.feeds);
  members.get("subscribers", out.subscribers);
  return finished(members, std::move(out));
}

std::optional<std::int32_t> read_seconds(value const& json) {
  auto const* const number = json.if_int64();
  if (number == nullptr || *number < 0 || *number > 100'000) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

void read_days(member_reader& members, std::vector<day_bar>& out) {
  std::string worst;
  std::vector<std::int32_t> up, down;
  members.get("worst", worst);
  members.get_array("up", up, most_days, read_seconds);
  members.get_array("down", down, most_days, read_seconds);
  members.require(worst.size() == up.size() && worst.size() == down.size());
  for (std::size_t i = 0; members.ok() && i < worst.size(); ++i) {
    auto const letter = day_letters.find(worst[i]);
    members.require(letter != day_letters.npos);
    if (members.ok()) out.push_back({static_cast<component_status>(letter), up[i], down[i]});
  }
}

std::optional<page_component> read_component(value const& json) {
  member_reader members(json);
  page_component out;
  members.get("id", out.id);
  members.get("name", out.name);
  members.get("description", out.description);
  members.get("group", out.group);
  members.get_parsed("status", out.measured.status, component_status_of);
  members.get("validUntil", out.measured.valid_until);
  members.get("evidenceAt", out.measured.evidence_at);
  members.get("lastResultAt", out.measured.last_result_at);
  if (!members.is_null("override")) members.get_parsed("override", out.override_status, component_status_of);
  members.get("overrideUntil", out.override_until);
  members.get("showUptime", out.show_uptime);
  read_days(members, out.days);
  return finished(members, std::move(out));
}

std::optional<post> read_post(value const& json) {
  member_reader members(json);
  post out;
  members.get("id", out.id);
  members.get_parsed("status", out.status, post_status_of);
  members.get("body", out.body);
  members.get("at", out.published_at);
  members.get("editedAt", out.edited_at);
  return finished(members, std::move(out));
}

std::optional<affected_component> read_affected(value const& json) {
  member_reader members(json);
  affected_component out;
  members.get("id", out.id);
  members.get_parsed("status", out.status, component_status_of);
  return finished(members, out);
}

std::optional<page_incident> read_incident(value const& json) {
  member_reader members(json);
  page_incident out;
  members.get("id", out.id);
  members.get("name", out.name);
  members.get_parsed("impact", out.effect, impact_of);
  members.get_parsed("status", out.status, post_status_of);
  members.get("startedAt", out.started_at);
  members.get("resolvedAt", out.resolved_at);
  members.get_array("components", out.components, most_affected, read_affected);
  members.get_array("posts", out.posts, most_posts, read_post);
  members.get("shortened", out.shortened);
  return finished(members, std::move(out));
}

std::optional<uuid> read_id(value const& json) {
  auto const* const text = json.if_string();
  return text == nullptr ? std::nullopt : uuid::parse({text->data(), text->size()});
}

std::optional<page_maintenance> read_maintenance(value const& json) {
  member_reader members(json);
  page_maintenance out;
  members.get("id", out.id);
  members.get("name", out.name);
  members.get("startsAt", out.starts_at);
  members.get("endsAt", out.ends_at);
  members.get("changedAt", out.changed_at);
  members.get("sequence", out.sequence);
  members.get("cancelled", out.cancelled);
  members.get_array("components", out.components, most_affected, read_id);
  members.get_array("posts", out.posts, most_posts, read_post);
  members.get("shortened", out.shortened);
  return finished(members, std::move(out));
}

}  // namespace

std::string write_snapshot(page_snapshot const& snapshot) {
  return boost::json::serialize(object{{"version", snapshot_version},
                                       {"page", page_object(snapshot.page)},
                                       {"asOf", snapshot.as_of.micros},
                                       {"evidenceAt", optional_time(snapshot.evidence_at)},
                                       {"components", array_of(snapshot.components, component_object)},
                                       {"incidents", array_of(snapshot.incidents, incident_object)},
                                       {"maintenance", array_of(snapshot.maintenance, maintenance_object)}});
}

std::optional<page_snapshot> read_snapshot(std::string_view json) {
  if (json.size() > most_snapshot_bytes) return std::nullopt;
  boost::system::error_code failed;
  auto const parsed = boost::json::parse(json, failed, {}, {.max_depth = 8});
  if (failed) return std::nullopt;
  member_reader members(parsed);
  page_snapshot out;
  std::int32_t version = 0;
  members.get("version", version);
  members.require(version == snapshot_version);
  auto const* const page = members.ok() ? parsed.get_object().if_contains("page") : nullptr;
  auto facts = page == nullptr ? std::nullopt : read_page(*page);
  if (!facts) return std::nullopt;
  out.page = std::move(*facts);
  members.get("asOf", out.as_of);
  members.get("evidenceAt", out.evidence_at);
  members.get_array("components", out.components, most_components, read_component);
  members.get_array("incidents", out.incidents, most_incidents, read_incident);
  members.get_array("maintenance", out.maintenance, most_maintenance, read_maintenance);
  return finished(members, std::move(out));
}

}  // namespace svc::pages
