#include "app/dev/announcement.hpp"

#include "svc/core/build_info.hpp"

#include <unistd.h>

#include <boost/json.hpp>

#include <filesystem>

namespace svc::app::dev {
namespace {

/// Quotes a text for a POSIX shell.
std::string quoted(std::string const& text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/:";
  if (text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (char const c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The pipe extracts the run's id from a trigger's answer, without any tool that may be missing.
constexpr std::string_view run_id = R"sh( | sed 's/.*"runId":"\([^"]*\)".*/\1/')sh";
// Names are unique: the time lets the user paste the line again.
constexpr std::string_view new_token = R"sh("{\"name\":\"from curl $(date +%s)\"}")sh";

std::string this_program() {
  std::error_code ec;
  auto const path = std::filesystem::read_symlink("/proc/self/exe", ec);
  return ec ? "svcd" : path.string();
}

/// Returns the address that signs a browser in. The secret follows `#`, so that browsers send it to no server
/// before the click.
std::string dashboard_url(announcement const& announcement) {
  return announcement.url + "/app/link#" + std::string(announcement.link.reveal());
}

/// Returns lines that sign in and ask as a page of the dashboard does, with a cookie instead of a token.
std::string browser_lines(announcement const& announcement) {
  auto const jar = quoted(announcement.data_directory + "/cookies.txt");
  auto const page = "curl -sS -w '\\n' --cacert " + quoted(announcement.ca_file) + " -b " + jar + " -c " + jar +
                    " -H 'Sec-Fetch-Site: same-origin' ";
  return "# sign in with a cookie, as a browser does; the link works until svcd dev ends\n" + page +
         "-H 'Content-Type: application/json' -d '{\"token\":\"" + std::string(announcement.link.reveal()) + "\"}' " +
         announcement.url + "/dashboard/v1/sign-in/link\n# who is signed in\n" + page + announcement.url +
         "/dashboard/v1/me\n";
}

/// Returns the start of each line that asks with curl.
std::string curl_start(announcement const& announcement) {
  // Answers end without a line end, and several lines may be pasted at once.
  return "curl -sS -w '\\n' --cacert " + quoted(announcement.ca_file) + " ";
}

/// Returns two lines by which the backup of the demo fails and recovers.
std::string backup_lines(announcement const& announcement) {
  auto const ping = curl_start(announcement) + std::string(announcement.watched->heartbeat_url.reveal());
  return ping + "/fail\n" + ping + "\n";
}

/// Returns the address of the demo's page with lines that change its colour; empty without such a page.
std::string page_lines(announcement const& announcement) {
  if (!announcement.watched || announcement.watched->page.empty()) return "";
  return "Everybody can see this status page of the demo:\n\n  " + announcement.watched->page_url +
         "\n\nThese two lines, in another terminal, turn it red, and green again:\n\n" + backup_lines(announcement) +
         "\n";
}

/// Returns lines that produce an alert. The process that prints them also prints the alert.
std::string demo_lines(announcement const& announcement) {
  if (!announcement.watched) return "";
  auto const curl = curl_start(announcement);
  auto const as_user = curl + "-H 'Authorization: Bearer " + std::string(announcement.seeded.token.reveal()) + "' ";
  auto const site = announcement.url + "/api/monitors/" + announcement.watched->site;
  auto const edit = [&](std::string const& status) {
    return as_user +
           "-o /dev/null -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{\"config\":{"
           "\"expectedStatusCodes\":\"" +
           status + "\"}}' " + site + "\n";
  };
  bool const watches_itself = !announcement.watched->site.empty();
  std::string out = std::string("# the monitors: ") + (watches_itself ? "this service, and " : "") +
                    "a nightly backup that reports here\n";
  out += as_user + announcement.url + "/api/monitors\n";
  if (auto const& page = announcement.watched->page; !page.empty())
    out += "# their status page, which needs no token; a browser shows " + announcement.watched->page_url + "\n" +
           curl + announcement.url + "/api/status-pages/" + page + "/summary\n";
  out += "# the backup fails and recovers; svcd dev shows both alerts\n" + backup_lines(announcement);
  if (!watches_itself) return out;
  out += "# this service fails its check within seconds, because another status is expected; then it recovers\n";
  return out + edit("418") + "sleep 15\n" + edit("200-299");
}

std::string curl_lines(announcement const& announcement) {
  auto const curl = curl_start(announcement);
  auto const bearer = [](secret_string const& s) {
    return "-H 'Authorization: Bearer " + std::string(s.reveal()) + "' ";
  };
  auto const trigger = curl + "-X POST " + bearer(announcement.seeded.trigger_key) + announcement.url + "/api/jobs/" +
                       announcement.seeded.job + "/trigger";
  auto const as_user = curl + bearer(announcement.seeded.token);
  std::string out;
  out += "# health\n" + curl + announcement.url + "/api/health\n";
  out += "# the owner of the token\n" + as_user + announcement.url + "/api/auth/whoami\n";
  out += "# the project's jobs\n" + as_user + announcement.url + "/api/jobs\n";
  out += "# start a run with the trigger key\n" + trigger + "\n";
  auto const another = announcement.url + "/api/runs/$(" + trigger + std::string(run_id) + ")";
  if (announcement.runner) {
    out += "# start one as yourself and wait for its end\n" + as_user + "-X POST '" + announcement.url +
           "/api/jobs/" + announcement.seeded.job + "/trigger?wait=30'\n";
    out += "# start another and show its output\n" + as_user + "-N " + another + "/stream\n";
  } else {
    out += "# start another and ask for its state\n" + as_user + another + "/status\n";
  }
  out += "# a new CLI token, shown once\n" + as_user + "-H 'Content-Type: application/json' -d " +
         std::string(new_token) + " " + announcement.url + "/api/cli-tokens\n";
  return out + browser_lines(announcement) + demo_lines(announcement);
}

/// Returns the client's lines that the rest needs, if the client lies in the same directory as this program.
std::string client_settings(announcement const& announcement) {
  auto const directory = std::filesystem::path(this_program()).parent_path();
  std::error_code ec;
  if (!std::filesystem::exists(directory / "svc", ec)) return "";
  auto const secret = [](secret_string const& s) { return std::string(s.reveal()); };
  return "export PATH=" + quoted(directory.string()) + ":$PATH SERVICE_URL=" + announcement.url +
         " SERVICE_CACERT=" + quoted(announcement.ca_file) +
         "\nexport SERVICE_TOKEN=" + secret(announcement.seeded.token) +
         " SERVICE_TRIGGER_KEY=" + secret(announcement.seeded.trigger_key) + "\n";
}

std::string client_lines(announcement const& announcement) {
  auto const settings = client_settings(announcement);
  if (settings.empty()) return "";
  std::string out = "# the client, for this shell, with completion (zsh, fish: svc completion --help)\n" + settings;
  out += "eval \"$(svc completion bash)\"\n# the project's jobs\nsvc job list\n";
  out += announcement.runner ? "# start a run, show its output, and end with its result\nsvc job trigger " +
                                   announcement.seeded.job + " --follow\n"
                             : "# start a run\nsvc job trigger " + announcement.seeded.job + "\n";
  return out + "\nThe same with curl:\n\n";
}

/// Returns at most six lines: by the client, or by curl where no client was built.
std::string first_lines(announcement const& announcement) {
  auto const settings = client_settings(announcement);
  if (!settings.empty())
    return settings + "svc job list\nsvc job trigger " + announcement.seeded.job +
           (announcement.runner ? " --follow\n" : "\n");
  auto const curl = curl_start(announcement) + "-H 'Authorization: Bearer " +
                    std::string(announcement.seeded.token.reveal()) + "' ";
  return curl + announcement.url + "/api/jobs\n" + curl + "-X POST '" + announcement.url + "/api/jobs/" +
         announcement.seeded.job + "/trigger?wait=30'\n";
}

std::string heading() {
  return "\nsvcd " + std::string(this_build().version) + " is running. Ctrl-C stops it and its stores.\n\n";
}

}  // namespace

std::string url_of(std::string const& scheme, std::string const& bound) {
  auto const colon = bound.rfind(':');
  auto const host = bound.substr(0, colon);
  bool const unspecified = host == "0.0.0.0" || host == "[::]";
  return scheme + "://" + (unspecified ? "localhost" : host) + bound.substr(colon);
}

std::string to_json_line(announcement const& announcement) {
  boost::json::object o{
      {"url", announcement.url},
      {"caFile", announcement.ca_file},
      {"adminUrl", announcement.admin_url},
      {"organizationId", announcement.seeded.organization},
      {"projectId", announcement.seeded.project},
      {"userId", announcement.seeded.user},
      {"jobId", announcement.seeded.job},
      {"testId", announcement.seeded.test},
      {"token", announcement.seeded.token.reveal()},
      {"triggerKey", announcement.seeded.trigger_key.reveal()},
      {"dashboardUrl", dashboard_url(announcement)},
      {"dataDir", announcement.data_directory},
      {"configFile", announcement.config_file},
      {"postgresUrl", announcement.postgres_url},
      {"redisUrl", announcement.redis_url},
      {"pids",
       {{"svcd", getpid()},
        {"postgres", announcement.postgres},
        {"redis", announcement.redis},
        {"runner", announcement.runner ? boost::json::value(*announcement.runner) : boost::json::value(nullptr)}}},
      {"version", this_build().version},
  };
  if (announcement.watched) {
    if (!announcement.watched->site.empty()) o["monitorId"] = announcement.watched->site;
    o["heartbeatId"] = announcement.watched->heartbeat;
    o["heartbeatUrl"] = announcement.watched->heartbeat_url.reveal();
    if (!announcement.watched->page.empty()) o["statusPageUrl"] = announcement.watched->page_url;
  }
  return boost::json::serialize(o);
}

std::string to_text(announcement const& announcement) {
  auto out = heading();
  if (announcement.has_pages)
    out +=
        "Open this address in a browser on this machine. It signs you in, as often as you like, until Ctrl-C:\n\n  " +
        dashboard_url(announcement) +
        "\n\nThe browser warns of the certificate, because this service has made it (its authority: " +
        announcement.ca_file + ").\n\n";
  else
    out += "The API is at " + announcement.url + "; this build has no pages for browsers.\n\n";
  out += page_lines(announcement);
  return out + "To paste into another terminal:\n\n" + first_lines(announcement) +
         "\nAll addresses, and more lines to paste: start it with --print lines (make run ARGS=\"--print "
         "lines\").\n\n";
}

std::string to_lines(announcement const& announcement) {
  auto out = heading();
  auto const line = [&](std::string const& name, std::string const& value) {
    out += "  " + name + std::string(14 - name.size(), ' ') + value + "\n";
  };
  if (announcement.has_pages) line("dashboard", dashboard_url(announcement));
  line("API", announcement.url);
  if (announcement.watched && !announcement.watched->page.empty())
    line("status page", announcement.watched->page_url);
  line("contract", announcement.url + "/openapi/openapi.yaml");
  line("admin", announcement.admin_url + "/metrics");
  line("data", announcement.data_directory);
  line("PostgreSQL", announcement.postgres_url);
  line("Redis", announcement.redis_url);
  line("checks may", announcement.opened.empty() ? "reach the public internet"
                                                 : "reach the public internet and " + announcement.opened);
  if (announcement.runner) line("runner", "isolation: see " + announcement.data_directory + "/log/runner.log");
  line("token", std::string(announcement.seeded.token.reveal()));
  line("trigger key", std::string(announcement.seeded.trigger_key.reveal()));
  line("second one", quoted(this_program()) + " serve --config " + quoted(announcement.config_file) +
                         " --listen 127.0.0.1:8444 --admin 127.0.0.1:9465");
  return out + "\nTo paste:\n\n" + client_lines(announcement) + curl_lines(announcement) + "\n";
}

}  // namespace svc::app::dev
