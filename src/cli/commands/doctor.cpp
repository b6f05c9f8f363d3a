#include "cli/commands/context.hpp"
#include "cli/commands/findings.hpp"
#include "cli/commands/scan.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"
#include "cli/http/proxy.hpp"
#include "cli/http/refusal.hpp"
#include "cli/http/retry.hpp"
#include "cli/settings/credentials.hpp"
#include "cli/settings/files.hpp"
#include "svc/core/build_info.hpp"
#include "svc/domain/token.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/array.hpp>

#include <memory>

namespace svc::cli {
namespace {

/// Makes the checks in sequence, and skips those that an earlier failure makes impossible. One object for each
/// command.
class examination {
 public:
  explicit examination(context& cx) : cx_(cx) {}

  std::vector<finding> const& run() {
    files();
    credentials();
    address();
    proxy();
    service();
    token();
    return findings_;
  }

 private:
  /// Adds the findings of `look`; a failure that it throws is a finding, too. Returns true if there was no failure.
  template <class Look>
  bool examine(char const* name, bool possible, Look look) {
    if (!possible) {
      findings_.push_back({name, finding_status::skipped, "depends on a check that failed above"});
      return false;
    }
    try {
      findings_.push_back(look());
      return findings_.back().status != finding_status::failed;
    } catch (failure const& f) {
      if (f.exit() == exit_code::interrupted) throw;
      findings_.push_back({name, finding_status::failed, f.what(), f.hint(), f.exit()});
      return false;
    }
  }

  void files();
  void credentials();
  void address();
  void proxy();
  void service();
  void token();

  context& cx_;
  std::vector<finding> findings_;
  std::optional<setting_sources> sources_;
  std::optional<settings> settings_;
  std::optional<client> client_;
  bool reached_ = false;  // whether the service has answered
};

std::string file_or_none(std::optional<config_values> const& file, char const* none) {
  return file ? file->path : none;
}

void examination::files() {
  examine("settings", true, [&]() -> finding {
    sources_ = load_sources(cx_.options);
    return {"settings", finding_status::ok,
            "project file: " + file_or_none(sources_->project_file, "none") +
                ", user file: " + file_or_none(sources_->user_file, "none")};
  });
}

void examination::credentials() {
  examine("credentials", sources_.has_value(), [&]() -> finding {
    credential_file const file(sources_->variables.config_directory);
    auto const count = file.addresses().size();
    if (count == 0) return {"credentials", finding_status::ok, "svc login has stored none"};
    return {"credentials", finding_status::ok,
            file.path() + ", readable only by you, for " + std::to_string(count) +
                (count == 1 ? " address" : " addresses")};
  });
  examine("trigger key", sources_.has_value(), [&]() -> finding {
    auto const& key = sources_->variables.trigger_key;
    return {"trigger key", finding_status::ok,
            key ? display_start(key->reveal()) + " from SERVICE_TRIGGER_KEY" : "SERVICE_TRIGGER_KEY is not set"};
  });
}

void examination::address() {
  examine("address", sources_.has_value(), [&]() -> finding {
    credential_file const file(sources_->variables.config_directory);
    settings_ = settings_from(*sources_, [&](std::string const& address) { return file.find(address); });
    return {"address", finding_status::ok, settings_->url.text + ", from " + settings_->url.source};
  });
}

void examination::proxy() {
  examine("proxy", settings_.has_value(), [&]() -> finding {
    auto const url = proxy_for(settings_->url, settings_->proxies);
    if (url.empty()) return {"proxy", finding_status::ok, "none for this address"};
    auto const parsed = proxy_address::parse(url);
    if (!parsed) return {"proxy", finding_status::failed, "The proxy's URL is not valid."};
    return {"proxy", finding_status::ok, parsed->text()};
  });
}

void examination::service() {
  timestamp before, after;
  std::optional<answer> got;
  reached_ = examine("connection", settings_.has_value(), [&]() -> finding {
    client_.emplace(*settings_, cx_.console);
    before = system_now();
    got = client_->send({.method = "GET", .target = "/api/health", .context = credential::none});
    after = system_now();
    return {"connection", finding_status::ok,
            settings_->url.scheme == "https" ? "the certificate is good" : "plain HTTP"};
  });
  examine("service", reached_, [&] { return service_finding(parsed_body(*got), this_build().version); });
  examine("clock", reached_, [&] { return clock_finding(http_date(got->field("date")), before, after); });
}

void examination::token() {
  std::optional<token_facts> facts;
  examine("token", reached_, [&]() -> finding {
    if (!settings_->token)
      return {"token", finding_status::warning, "There is none; only public operations work.",
              "svc login, or set SERVICE_TOKEN."};
    auto const whoami = client_->fetch(whoami_request);
    facts = facts_of(whoami);
    if (!facts) throw not_whoami(*settings_);
    return token_finding(whoami, settings_->token_source);
  });
  if (!facts) return;
  examine("expiry", true, [&] { return expiry_finding(*facts, system_now()); });
  examine("project", true, [&] { return locate_finding(*settings_, *facts); });
}

exit_code examine_all(context& cx) {
  auto& console = cx.console;
  examination looks(cx);
  auto const& findings = looks.run();
  auto const all = json_of(findings);
  auto const& rows = all.at("checks").as_array();
  static constexpr column columns[] = {{"Check", "name"}, {"Status", "status"}, {"Detail", "detail"}};
  if (console.how() == format::json) {
    console.data_line(json_text(all, console.out_is_terminal()));
  } else if (console.how() == format::text) {
    for (auto const& each : findings) console.data(text_of(each, console.colour_out()));
  } else if (console.how() == format::quiet) {
    for (auto const& each : findings)
      if (each.status != finding_status::ok) console.data_line(each.name);
  } else {
    show_rows(console, {rows.data(), rows.size()}, columns, "name");
  }
  return exit_of(findings);
}

void show_found(console& console, std::vector<token_location> const& found) {
  boost::json::array rows;
  for (auto const& each : found) {
    if (console.how() != format::text) {
      rows.push_back(boost::json::object{{"file", each.file},
                                         {"line", each.token.line},
                                         {"column", each.token.column},
                                         {"token", each.token.shown}});
    } else {
      console.data_line(harmless(each.file) + ":" + std::to_string(each.token.line) + ":" +
                        std::to_string(each.token.column) + ": " + each.token.shown);
    }
  }
  static constexpr column columns[] = {{"File", "file"}, {"Line", "line"}, {"Column", "column"}, {"Token", "token"}};
  if (console.how() == format::json) {
    console.data_line(json_text(boost::json::object{{"found", std::move(rows)}}, console.out_is_terminal()));
  } else if (console.how() != format::text) {
    show_rows(console, {rows.data(), rows.size()}, columns, "file");
  }
}

exit_code scan(context& cx, std::vector<std::string> const& paths, bool staged) {
  scan_result result;
  if (staged) scan_staged(result);
  for (auto const& path : paths) scan_tree(path, result);
  show_found(cx.console, result.found);
  for (auto const& each : result.unread) cx.console.warn("not read: " + harmless(each));
  if (!result.found.empty()) {
    cx.console.note(
        "Revoke the tokens (svc token revoke, svc job keys revoke): deleting them is not enough once they were "
        "copied or committed.");
    return exit_code::refused;
  }
  return result.unread.empty() ? exit_code::ok : exit_code::usage;
}

}  // namespace

void add_doctor_command(CLI::App& root, context& cx) {
  auto* const doctor = root.add_subcommand("doctor", "Check settings, connection and token; find leaked tokens");
  auto const paths = std::make_shared<std::vector<std::string>>();
  auto const staged = std::make_shared<bool>(false);
  doctor
      ->add_option("--scan", *paths,
                   "look for tokens in these files and directories instead; exit 1 if there are any")
      ->type_name("PATH")
      ->expected(1, CLI::detail::expected_max_vector_size);
  doctor->add_flag("--staged", *staged,
                   "look for tokens in the changes that git has staged; exit 1 if there are any");
  doctor->footer(
      "  svc doctor\n"
      "  svc doctor --scan .\n"
      "As a hook that keeps tokens out of commits:\n"
      "  echo '#!/bin/sh' > .git/hooks/pre-commit\n"
      "  echo 'exec svc doctor --staged' >> .git/hooks/pre-commit\n"
      "  chmod +x .git/hooks/pre-commit\n"
      "--scan skips .git, binary files and symbolic links, and does not report placeholders in documentation: the\n"
      "last characters of a token are a checksum of the others.");
  doctor->callback([&cx, paths, staged] {
    cx.action = [&cx, paths, staged] {
      return paths->empty() && !*staged ? examine_all(cx) : scan(cx, *paths, *staged);
    };
  });
}

}  // namespace svc::cli
