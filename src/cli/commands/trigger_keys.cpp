#include "cli/commands/arguments.hpp"
#include "cli/commands/resource.hpp"
#include "cli/commands/rotation.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/core/numbers.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

#include <optional>
#include <vector>

namespace svc::cli {
namespace {

constexpr column key_details[] = {{"ID", "id"},
                                  {"Job's id", "jobId"},
                                  {"Name", "name"},
                                  {"Begins", "start"},
                                  {"Enabled", "enabled", cell::boolean},
                                  {"Expires", "expiresAt", cell::time},
                                  {"Limit", "rateLimit.limit"},
                                  {"Window", "rateLimit.windowSeconds", cell::seconds},
                                  {"Allowed from", "allowedCidrs", cell::list},
                                  {"Created", "createdAt", cell::time},
                                  {"By", "createdBy.name"},
                                  {"Last used", "lastUsedAt", cell::time},
                                  {"From", "lastUsedIp"},
                                  {"Old secret", "previous.start"},
                                  {"Works until", "previous.expiresAt", cell::time}};
constexpr credential_kind key_kind{"trigger key", "triggerKey", key_details};

/// Returns the resource of a job's keys, whose path is below the job's own.
resource keys_below(std::string_view path) {
  return {.group = "job keys",
          .text = "key",
          .many = "a job's trigger keys",
          .path = path,
          .name_member = "name",
          .order = "oldest first",
          .list_example = "nightly",
          .row = credential_row,
          .details = key_details};
}

std::string keys_path(context& cx, std::string const& job) {
  return target_of(cx, job_resource(), job, "/trigger-keys");
}

/// The arguments that identify one key on the command line.
struct key_arguments {
  std::string job, key;
};

std::string key_target(context& cx, key_arguments const& given) {
  auto const path = keys_path(cx, given.job);
  auto keys = keys_below(path);
  keys.owner = given.job;
  return target_of(cx, keys, given.key);
}

constexpr char const* job_help = "the job's id or name";

void add_job_argument(CLI::App& app, std::string& job) {
  add_target(app, job_resource(), job, job_help);
}

void add_key_arguments(CLI::App& app, key_arguments& given) {
  add_job_argument(app, given.job);
  app.add_option("KEY", given.key, "the key's id or name")->required();
}

exit_code change_key(context& cx, key_arguments const& which, boost::json::object const& patch) {
  request const r{.method = "PATCH", .target = key_target(cx, which), .body = boost::json::serialize(patch)};
  return send_and_show(cx, r, key_details, key_kind.member);
}

/// Reads `20/60s`, or `default`.
boost::json::value rate_limit_of(std::string const& text) {
  if (text == "default") return nullptr;
  auto const slash = text.find('/');
  auto const limit = parse_number<std::uint32_t>(std::string_view(text).substr(0, slash));
  auto const window = slash == std::string::npos ? std::nullopt : seconds_spelled(text.substr(slash + 1));
  if (!limit || !window)
    throw bad_usage("--rate-limit: '" + text + "' is not a limit.",
                    "Write requests/window, 20/60s or 100/1m, or default.");
  return boost::json::object{{"limit", *limit}, {"windowSeconds", *window}};
}

/// Reads addresses or ranges, or `any`.
boost::json::value allowed_of(std::vector<std::string> const& ranges) {
  if (ranges.size() == 1 && ranges.front() == "any") return nullptr;
  boost::json::array out;
  for (auto const& range : ranges) {
    if (!cidr::parse(range))
      throw bad_usage("--allow-from: '" + range + "' is not a range of addresses.",
                      "Write 203.0.113.0/24 or 2001:db8::/32, or any.");
    out.emplace_back(range);
  }
  return out;
}

/// Warns of ranges whose address is more exact than their length: `10.0.0.1/8` allows all of `10.0.0.0/8`.
void warn_of_wide_ranges(context& cx, std::vector<std::string> const& ranges) {
  for (auto const& range : ranges) {
    auto const read = cidr::parse(range);
    auto const address = ip_address::parse(range.substr(0, range.find('/')));
    auto const network = read ? read->to_string() : std::string();
    if (!address || network.starts_with(address->to_string() + "/")) continue;
    cx.console.warn("--allow-from " + range + " allows all of " + network + ".");
  }
}

/// The common options of creation and change.
struct key_settings {
  std::string rate_limit;
  std::vector<std::string> allowed;

  void declare(CLI::App& app) {
    app.add_option("--rate-limit", rate_limit, "requests in a window, 20/60s; default is the service's")
        ->type_name("LIMIT");
    app.add_option("--allow-from", allowed, "addresses that may use it, 203.0.113.0/24; any is everywhere")
        ->type_name("CIDR")
        ->expected(1)
        ->take_all();
  }
  void put_into(boost::json::object& body) const {
    if (!rate_limit.empty()) body["rateLimit"] = rate_limit_of(rate_limit);
    if (!allowed.empty()) body["allowedCidrs"] = allowed_of(allowed);
  }
};

void add_key_create(CLI::App& keys, context& cx) {
  struct arguments {
    std::string job, name, expires_in;
    key_settings settings;
    secret_options secret;
  };
  auto const given = std::make_shared<arguments>();
  auto* const create = add_command(keys, cx, "create", "Create a key that may trigger the job", "", [&cx, given] {
    boost::json::object body{{"name", given->name}};
    if (!given->expires_in.empty()) body["expiresIn"] = duration_argument(given->expires_in, "--expires-in");
    given->settings.put_into(body);
    warn_of_wide_ranges(cx, given->settings.allowed);
    request const creation{
        .method = "POST", .target = keys_path(cx, given->job), .body = boost::json::serialize(body)};
    return create_credential(cx, key_kind, creation, given->secret);
  });
  add_job_argument(*create, given->job);
  create->add_option("NAME", given->name, "what it is for; unique in the job")->required();
  create->add_option("--expires-in", given->expires_in, "lifetime: 90d, 12h; without it the key does not expire")
      ->type_name("DURATION");
  given->settings.declare(*create);
  add_secret_options(*create, given->secret);
  create->footer(
      "The secret is only in this answer: it is printed once, or passed to a store and not printed.\n"
      "Examples:\n"
      "  svc job keys create nightly github --rate-limit 20/60s\n"
      "  svc job keys create nightly github --exec 'gh secret set SERVICE_TRIGGER_KEY'");
}

void add_key_update(CLI::App& keys, context& cx) {
  struct arguments {
    key_arguments which;
    std::string name;
    key_settings settings;
  };
  auto const given = std::make_shared<arguments>();
  auto* const update = add_command(keys, cx, "update", "Change a key's name, limit or allowed addresses",
                                   "nightly github --rate-limit default --allow-from 203.0.113.0/24", [&cx, given] {
                                     boost::json::object body;
                                     if (!given->name.empty()) body["name"] = given->name;
                                     given->settings.put_into(body);
                                     warn_of_wide_ranges(cx, given->settings.allowed);
                                     if (body.empty())
                                       throw bad_usage("No change is given.", "Add --help to see the options.");
                                     return change_key(cx, given->which, body);
                                   });
  add_key_arguments(*update, given->which);
  update->add_option("--name", given->name, "another name")->type_name("TEXT");
  given->settings.declare(*update);
}

void add_key_switch(CLI::App& keys, context& cx, char const* name, char const* help, bool enabled) {
  auto const which = std::make_shared<key_arguments>();
  auto* const command = add_command(keys, cx, name, help, "nightly github",
                                    [&cx, which, enabled] { return change_key(cx, *which, {{"enabled", enabled}}); });
  add_key_arguments(*command, *which);
}

void add_key_rotate(CLI::App& keys, context& cx) {
  struct arguments {
    key_arguments which;
    rotation_options options;
  };
  auto const given = std::make_shared<arguments>();
  auto* const command = add_command(keys, cx, "rotate", "Give your key a new secret", "", [&cx, given] {
    return rotate(cx, {.target = key_target(cx, given->which), .kind = key_kind, .given = given->options});
  });
  add_key_arguments(*command, given->which);
  add_rotation_options(*command, given->options, false);
  command->footer(
      "A key can only start runs, so svc does not try the new secret. With a store the old secret ends when the\n"
      "new one is first used, and in any case after the grace period.\n"
      "Example:\n"
      "  svc job keys rotate nightly github --exec 'gh secret set SERVICE_TRIGGER_KEY'");
}

void add_key_revoke(CLI::App& keys, context& cx) {
  auto const which = std::make_shared<key_arguments>();
  auto const sure = std::make_shared<bool>(false);
  auto* const revoke = add_command(keys, cx, "revoke", "End a key for good", "nightly github", [&cx, which, sure] {
    auto const target = key_target(cx, *which);
    if (!*sure && !confirmed(cx, "Revoke key " + which->key + "?")) return exit_code::ok;
    cx.client().send({.method = "DELETE", .target = target});
    cx.console.note("Revoked key " + which->key + ".");
    return exit_code::ok;
  });
  add_key_arguments(*revoke, *which);
  revoke->add_flag("-y,--yes", *sure, "do not ask");
}

}  // namespace

void add_trigger_key_commands(CLI::App& job, context& cx) {
  auto* const keys = job.add_subcommand("keys", "Trigger keys: credentials that may start one job and nothing else");
  keys->require_subcommand(1);
  add_list_below(*keys, cx, "list", job_resource(), "/trigger-keys", keys_below, job_help);
  add_key_create(*keys, cx);
  add_key_update(*keys, cx);
  add_key_switch(*keys, cx, "enable", "Enable a disabled key again", true);
  add_key_switch(*keys, cx, "disable", "Disable a key until it is enabled again", false);
  add_key_rotate(*keys, cx);
  add_key_revoke(*keys, cx);
}

}  // namespace svc::cli
