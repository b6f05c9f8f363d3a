#include "cli/settings/credentials.hpp"

#include "cli/console/failure.hpp"
#include "cli/settings/files.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace svc::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t largest_credential_file = 1024UL * 1024;
constexpr char const* credential_list = "credentials";

failure credential_failure(std::string const& sentence, std::string hint) {
  return {exit_code::usage, "credentials", sentence, std::move(hint)};
}

/// The file's object, whose member `credentials` is one too; both empty if there is no file.
json::object read_credentials(std::string const& path) {
  json::object out;
  if (auto const text = path.empty() ? std::nullopt : read_private_file(path, largest_credential_file)) {
    boost::system::error_code bad;
    auto const parsed = json::parse(text->reveal(), bad);
    if (!bad && parsed.is_object()) out = parsed.get_object();
    if (auto const* list = out.if_contains(credential_list); list == nullptr || !list->is_object())
      throw credential_failure(path + " was not written by svc login.", "Delete it, and log in again.");
  } else {
    out[credential_list] = json::object();
  }
  return out;
}

void write_credentials(std::string const& path, json::object const& content) {
  secret_string const text(json::serialize(content));
  replace_private_file(path, text.reveal());
}

}  // namespace

credential_file::credential_file(std::string const& directory)
    : path_(directory.empty() ? directory : directory + "/credentials.json") {}

std::optional<secret_string> credential_file::find(std::string const& address) const {
  auto const content = read_credentials(path_);
  auto const* const entry = content.at(credential_list).get_object().if_contains(address);
  if (entry == nullptr) return std::nullopt;
  auto const* const token = entry->is_object() ? entry->get_object().if_contains("token") : nullptr;
  if (token == nullptr || !token->is_string())
    throw credential_failure(path_ + " was not written by svc login.", "Delete it, and log in again.");
  return secret_string(std::string_view(token->get_string()));
}

void credential_file::store(std::string const& address, secret_string const& token) const {
  if (path_.empty())
    throw credential_failure(
        "No directory for credentials is known: neither HOME nor XDG_CONFIG_HOME is an absolute path.",
        "Set HOME, or use SERVICE_TOKEN instead of svc login.");
  file_lock const lock(path_);
  auto content = read_credentials(path_);
  content[credential_list].get_object()[address] = json::object{{"token", token.reveal()}};
  write_credentials(path_, content);
}

bool credential_file::erase(std::string const& address) const {
  if (addresses().empty()) return false;
  file_lock const lock(path_);
  auto content = read_credentials(path_);
  if (content[credential_list].get_object().erase(address) == 0) return false;
  write_credentials(path_, content);
  return true;
}

std::vector<std::string> credential_file::addresses() const {
  std::vector<std::string> out;
  auto const content = read_credentials(path_);
  for (auto const& [address, entry] : content.at(credential_list).get_object()) out.emplace_back(address);
  return out;
}

}  // namespace svc::cli
