#include "app/dev/credentials.hpp"

#include "app/dev/data_directory.hpp"

#include <boost/json.hpp>

#include <stdexcept>

namespace svc::app::dev {
namespace {

std::string member(boost::json::object const& from, std::string_view name) {
  auto const* const value = from.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

credentials read_credentials(std::string const& path) {
  auto const text = read_file(path);
  if (!text) return {};
  boost::system::error_code ec;
  auto const value = boost::json::parse(*text, ec);
  if (ec || !value.is_object()) throw std::runtime_error(path + " is no JSON object; `svcd dev --reset` starts anew");
  auto const& o = value.get_object();
  return {.organization = member(o, "organizationId"),
          .project = member(o, "projectId"),
          .user = member(o, "userId"),
          .job = member(o, "jobId"),
          .test = member(o, "testId"),
          .token = secret_string(member(o, "token")),
          .trigger_key = secret_string(member(o, "triggerKey")),
          .runner_token = secret_string(member(o, "runnerToken"))};
}

void write_credentials(std::string const& path, credentials const& what) {
  boost::json::object const o{{"organizationId", what.organization},
                              {"projectId", what.project},
                              {"userId", what.user},
                              {"jobId", what.job},
                              {"testId", what.test},
                              {"token", what.token.reveal()},
                              {"triggerKey", what.trigger_key.reveal()},
                              {"runnerToken", what.runner_token.reveal()}};
  write_file(path, boost::json::serialize(o) + "\n");
}

}  // namespace svc::app::dev
