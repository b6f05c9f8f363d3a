// The options of status pages and their components: the members of a body.
#include "cli/commands/status_pages.hpp"

#include "cli/commands/arguments.hpp"

namespace svc::cli {
namespace {

boost::json::value incident_delay_member(std::vector<std::string> const& given) {
  return minutes_argument(given.back(), "--auto-incidents-after");
}

boost::json::value override_end_member(std::vector<std::string> const& given) {
  return boost::json::value(planned_moment_of(given.back(), system_now()));
}

body_field switch_field(std::string_view member, char const* flag, char const* help) {
  return {.member = member, .flag = flag, .type_name = "", .help = help, .read = boolean_member};
}

/// Returns the members that say who may see a page, and where.
std::vector<body_field> access_fields() {
  return {{.member = "status",
           .flag = "--status",
           .type_name = "STATUS",
           .help = "draft unless given; only a published page can be seen",
           .read = text_member,
           .allowed = {"draft", "published", "archived"}},
          {.member = "visibility",
           .flag = "--visibility",
           .type_name = "WHO",
           .help = "public unless given; unlisted: search engines leave it out; restricted: only --allow-from; "
                   "members: signed-in members of the project",
           .read = text_member,
           .allowed = {"public", "unlisted", "restricted", "members"}},
          {.member = "allowedCidrs",
           .flag = "--allow-from",
           .type_name = "CIDR",
           .help = "with --visibility restricted: addresses that may see it, 203.0.113.0/24; repeatable",
           .read = texts_member,
           .nullable = true,
           .many = true},
          {.member = "customDomain",
           .flag = "--domain",
           .type_name = "DOMAIN",
           .help = "a domain of your own, status.example.org; svc page verify-domain proves it",
           .read = text_member,
           .nullable = true}};
}

/// Returns the members that say how a page looks.
std::vector<body_field> look_fields() {
  return {{.member = "headline",
           .flag = "--headline",
           .type_name = "TEXT",
           .help = "a sentence below the name",
           .read = text_member,
           .nullable = true},
          {.member = "description",
           .flag = "--description",
           .type_name = "TEXT",
           .help = "a paragraph about what is shown",
           .read = text_member,
           .nullable = true},
          {.member = "language",
           .flag = "--language",
           .type_name = "LANGUAGE",
           .help = "of the page, its feeds and mails; en unless given",
           .read = text_member,
           .allowed = {"de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "zh"}},
          {.member = "timeZone",
           .flag = "--zone",
           .type_name = "ZONE",
           .help = "time zone of its days, Europe/Berlin; UTC unless given",
           .read = text_member},
          {.member = "accentColor",
           .flag = "--accent",
           .type_name = "COLOR",
           .help = "color of lines and marks, '#1f883d'",
           .read = text_member,
           .nullable = true},
          {.member = "supportUrl",
           .flag = "--support-url",
           .type_name = "URL",
           .help = "https address where visitors get help",
           .read = text_member,
           .nullable = true}};
}

/// Returns the members that say who is notified, and what happens without people.
std::vector<body_field> publishing_fields() {
  return {
      switch_field("allowFeeds", "--feeds,!--no-feeds",
                   "whether it has feeds and a calendar, as it does unless given"),
      switch_field("allowSubscribers", "--subscribers,!--no-subscribers", "whether visitors may subscribe by mail"),
      switch_field("autoIncidents", "--auto-incidents,!--no-auto-incidents",
                   "whether an outage of a component creates an incident"),
      {.member = "autoIncidentMinutes",
       .flag = "--auto-incidents-after",
       .type_name = "DURATION",
       .help = "how long the outage must last: 5m unless given, at most 1h",
       .read = incident_delay_member},
      {.member = "notificationProviders",
       .flag = "--provider",
       .type_name = "PROVIDER",
       .help = "notify this provider, by id or name, of its posts; repeatable",
       .read = texts_member,
       .nullable = true,
       .many = true,
       .id = provider_id}};
}

/// Returns the members that replace the measured status of a component.
std::vector<body_field> override_fields() {
  return {{.member = "statusOverride",
           .flag = "--override",
           .type_name = "STATUS",
           .help = "show this status, whatever its monitors say",
           .read = text_member,
           .allowed = {"operational", "degraded_performance", "partial_outage", "major_outage", "under_maintenance"},
           .nullable = true},
          {.member = "overrideUntil",
           .flag = "--until",
           .type_name = "TIME",
           .help = "when --override ends: 2h (from now), 22:00, 'tomorrow 22:00', RFC 3339; never unless given",
           .read = override_end_member,
           .nullable = true}};
}

void append_fields(std::vector<body_field>& out, std::vector<body_field> more) {
  for (auto& each : more) out.push_back(std::move(each));
}

}  // namespace

std::vector<body_field> page_fields() {
  std::vector<body_field> out{{.member = "slug",
                               .flag = "--slug",
                               .type_name = "SLUG",
                               .help = "another slug; the former address leads to the page for 90 days",
                               .read = text_member},
                              {.member = "name",
                               .flag = "--name",
                               .type_name = "TEXT",
                               .help = "the title of the page; a new one has its slug unless given",
                               .read = text_member}};
  append_fields(out, access_fields());
  append_fields(out, look_fields());
  append_fields(out, publishing_fields());
  return out;
}

std::vector<body_field> component_fields() {
  std::vector<body_field> out{
      {.member = "name", .flag = "--name", .type_name = "TEXT", .help = "another name", .read = text_member},
      {.member = "description",
       .flag = "--description",
       .type_name = "TEXT",
       .help = "what it does for visitors",
       .read = text_member,
       .nullable = true},
      {.member = "group",
       .flag = "--group",
       .type_name = "TEXT",
       .help = "the heading that it appears below",
       .read = text_member,
       .nullable = true},
      {.member = "position",
       .flag = "--position",
       .type_name = "N",
       .help = "its position on the page, in ascending order; 0 unless given",
       .read = integer_member},
      {.member = "monitorIds",
       .flag = "--monitor",
       .type_name = "MONITOR",
       .help = "a monitor that decides its status, by id or name; repeatable",
       .read = texts_member,
       .nullable = true,
       .many = true,
       .id = monitor_id},
      {.member = "aggregation",
       .flag = "--aggregation",
       .type_name = "RULE",
       .help = "worst_case unless given: one monitor that is down makes a partial outage",
       .read = text_member,
       .allowed = {"worst_case", "majority_vote"}},
      switch_field("showUptime", "--uptime,!--no-uptime", "whether it shows its uptime, as it does unless given")};
  append_fields(out, override_fields());
  return out;
}

}  // namespace svc::cli
