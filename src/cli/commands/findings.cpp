#include "cli/commands/findings.hpp"

#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

namespace svc::cli {
namespace {

constexpr std::array<std::string_view, 4> finding_statuses{"ok", "warning", "failed", "skipped"};
constexpr std::array<std::string_view, 4> finding_colours{"\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[2m"};

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  out.resize(std::max(width, text.size()), ' ');
  return out;
}

std::string text_at(boost::json::value const& value, std::string_view dotted) {
  auto const* const found = member_of(value, dotted);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string("?");
}

}  // namespace

std::string_view to_string(finding_status status) {
  return finding_statuses[static_cast<std::size_t>(status)];
}

finding clock_finding(std::optional<std::int64_t> server, timestamp before, timestamp after) {
  if (!server) return {"clock", finding_status::warning, "The answer has no Date.", "A proxy may have removed it."};
  constexpr std::int64_t second = 1'000'000;
  // `Date` is cut to whole seconds, so the true time may be one second later.
  auto const ahead = before.micros / second - *server - 1;
  auto const behind = *server - after.micros / second;
  auto const difference = std::max({ahead, behind, std::int64_t{0}});
  if (difference <= clock_tolerance.count()) return {"clock", finding_status::ok, "agrees with the service's"};
  return {"clock", finding_status::warning,
          "is " + std::to_string(difference) + " s " + (ahead > behind ? "ahead of" : "behind") + " the service's",
          "Set this machine's clock by NTP (timedatectl set-ntp true)."};
}

finding service_finding(boost::json::value const& health, std::string_view own_version) {
  finding out{"service", finding_status::ok,
              "version " + text_at(health, "version") + ", this client is " + std::string(own_version)};
  if (text_at(health, "status") == "ok") return out;
  out.status = finding_status::warning;
  out.detail = "is " + text_at(health, "status") + " (postgres " + text_at(health, "dependencies.postgres") +
               ", redis " + text_at(health, "dependencies.redis") + ")";
  out.hint = "Some requests may fail for now; tell the service's operators if it lasts.";
  // Without Redis the service continues; without PostgreSQL no change is possible.
  if (text_at(health, "dependencies.postgres") != "down") return out;
  out.status = finding_status::failed;
  out.hint = "No change is possible until PostgreSQL is back; tell the service's operators.";
  out.exit = exit_code::unreachable;
  return out;
}

finding token_finding(boost::json::value const& whoami, std::string const& source) {
  return {"token", finding_status::ok,
          text_at(whoami, "name") + " of " + text_at(whoami, "user.name") + ", " + text_at(whoami, "role") + " in " +
              text_at(whoami, "organization.slug") + "/" + text_at(whoami, "project.slug") + ", from " + source};
}

finding expiry_finding(token_facts const& facts, timestamp now) {
  if (!facts.expires) return {"expiry", finding_status::ok, "The token does not expire."};
  auto const soon = expiry_warning(facts, now);
  if (soon.empty()) return {"expiry", finding_status::ok, "The token expires at " + to_rfc3339(*facts.expires) + "."};
  return {"expiry", finding_status::warning, soon};
}

finding locate_finding(settings const& settings, token_facts const& facts) {
  auto const wrong = misplacement(settings, facts);
  if (!wrong.empty()) return {"project", finding_status::failed, wrong, misplaced(wrong).hint()};
  if (settings.organization || settings.project)
    return {"project", finding_status::ok, "The token belongs to the organization and project that are set."};
  return {"project", finding_status::ok, "Neither SERVICE_ORG nor SERVICE_PROJECT is set; nothing to compare."};
}

exit_code exit_of(std::span<finding const> findings) {
  auto const first = std::find_if(findings.begin(), findings.end(),
                                  [](finding const& f) { return f.status == finding_status::failed; });
  return first == findings.end() ? exit_code::ok : first->exit;
}

boost::json::object json_of(std::span<finding const> findings) {
  boost::json::array checks;
  for (auto const& each : findings)
    checks.push_back(boost::json::object{
        {"name", each.name}, {"status", to_string(each.status)}, {"detail", each.detail}, {"hint", each.hint}});
  return {{"checks", std::move(checks)}};
}

std::string text_of(finding const& f, bool colour) {
  constexpr std::size_t status_width = 9, name_width = 13;
  auto status = padded(to_string(f.status), status_width);
  if (colour) status = std::string(finding_colours[static_cast<std::size_t>(f.status)]) + status + "\x1b[0m";
  auto out = status + padded(f.name, name_width) + harmless(f.detail) + "\n";
  std::string lead = "-> ";
  for (std::string_view rest = f.hint; !rest.empty(); lead = "   ") {
    auto const end = std::min(rest.find('\n'), rest.size());
    auto line = rest.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    out += std::string(status_width + name_width, ' ') + lead + harmless(line) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace svc::cli
