// The `[[sign_in.oidc]]` and `[[sign_in.groups]]` tables. They are read from the file only, and as lists they are not
// in the table of keys.

#include "app/configuration/configuration.hpp"
#include "svc/core/file_problem.hpp"
#include "svc/monitoring/notifications/recipient_policy.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

namespace svc::app {
namespace {

using sign_in::group_mapping;

constexpr std::string_view oidc_prefix = "sign_in.oidc[", groups_prefix = "sign_in.groups[";
constexpr std::size_t longest_secret = 1024;

bool is_slug(std::string_view text) {
  return !text.empty() && text.size() <= 63 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

bool is_provider_id(std::string_view text) {
  return is_slug(text) && text.size() <= 32;
}

template <std::size_t most>
bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= most &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_client_id(std::string_view text) {
  return is_label<512>(text) &&
         std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x7f; });
}

/// scope-token of RFC 6749 3.3.
bool is_scope(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; });
}

bool is_domain(std::string_view text) {
  return text != "members" && !text.starts_with("*.") && notifications::recipient_policy::is_entry(text);
}

bool is_file_path(std::string_view text) {
  return !text.empty() && text.find('\0') == std::string_view::npos;
}

bool is_verification(std::string_view text) {
  return text == "required" || text == "assumed";
}

bool is_organization_role(std::string_view text) {
  return text == "org_member" || text == "org_admin";
}

bool is_project_role(std::string_view text) {
  return text == "project_viewer" || text == "project_editor" || text == "project_admin";
}

/// One member of a table: a text, or a list of texts.
template <class Table>
struct table_member {
  std::string_view name;
  bool (*fits)(std::string_view text);
  std::string_view allowed;  ///< in words, after "must be"
  std::string& (*text)(Table& table) = nullptr;
  std::vector<std::string>& (*list)(Table& table) = nullptr;
};

#define SVC_MEMBER(table, path) [](table& each) -> auto& { return each.path; }

constexpr table_member<oidc_table> oidc_members[] = {
    {"id", is_provider_id, "1 to 32 of a-z, 0-9 and -", SVC_MEMBER(oidc_table, provider.id)},
    {"name", is_label<100>, "1 to 100 bytes on one line", SVC_MEMBER(oidc_table, provider.name)},
    {"issuer", sign_in::is_issuer,
     "an https URL of at most 500 bytes without query and fragment, as the provider's metadata spell it",
     SVC_MEMBER(oidc_table, provider.issuer)},
    {"client_id", is_client_id, "1 to 512 ASCII characters", SVC_MEMBER(oidc_table, provider.client_id)},
    {"client_secret_file", is_file_path, "the path of a file", SVC_MEMBER(oidc_table, client_secret_file)},
    {"scopes", is_scope, "a list of scopes, with openid among them", nullptr,
     SVC_MEMBER(oidc_table, provider.scopes)},
    {"domains", is_domain, "a list of domains in lower case, such as example.org", nullptr,
     SVC_MEMBER(oidc_table, provider.domains)},
    {"email_verified", is_verification, "required or assumed", SVC_MEMBER(oidc_table, email_verified)},
    {"groups_claim", is_label<128>, "the name of a claim", SVC_MEMBER(oidc_table, provider.groups_claim)},
    {"organization", is_slug, "the slug or the id of an organization", SVC_MEMBER(oidc_table, provider.organization)},
    {"role", is_organization_role, "org_member or org_admin", SVC_MEMBER(oidc_table, provider.role)},
};

constexpr table_member<group_mapping> group_members[] = {
    {"provider", is_provider_id, "the id of a [[sign_in.oidc]] table", SVC_MEMBER(group_mapping, provider)},
    {"group", is_label<1024>, "1 to 1024 bytes on one line", SVC_MEMBER(group_mapping, group)},
    {"organization", is_slug, "the slug or the id of an organization", SVC_MEMBER(group_mapping, organization)},
    {"project", is_slug, "the slug or the id of a project", SVC_MEMBER(group_mapping, project)},
    {"role", [](std::string_view text) { return is_organization_role(text) || is_project_role(text); },
     "org_member, org_admin, project_viewer, project_editor or project_admin; only owners make owners",
     SVC_MEMBER(group_mapping, role)},
};
#undef SVC_MEMBER

std::vector<std::string> parts_of(std::string_view joined) {
  std::vector<std::string> out;
  while (!joined.empty()) {
    auto const end = std::min(joined.find(','), joined.size());
    out.emplace_back(joined.substr(0, end));
    joined.remove_prefix(std::min(end + 1, joined.size()));
  }
  return out;
}

template <class Table>
std::optional<std::string> assign_to(table_member<Table> const& member, raw_value const& value, Table& into) {
  auto const refusal = "must be " + std::string(member.allowed);
  if (member.text != nullptr) {
    if (value.type != value_type::text || !member.fits(value.text)) return refusal;
    member.text(into) = value.text;
    return std::nullopt;
  }
  auto list = parts_of(value.text);
  if (value.type != value_type::list || !std::ranges::all_of(list, member.fits)) return refusal;
  member.list(into) = std::move(list);
  return std::nullopt;
}

/// Stores a value named `PREFIX<index>].MEMBER`, or returns the reason why not.
template <class Table, class Members>
std::optional<std::string> apply_to(std::string_view rest, raw_value const& value, Members const& members,
                                    std::size_t most, std::vector<Table>& tables) {
  std::size_t index = 0;
  auto const [end, ec] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
  auto const name = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (ec != std::errc{} || !name.starts_with("].")) return "no such key";
  if (index >= most) return "at most " + std::to_string(most) + " tables are allowed";
  if (index >= tables.size()) tables.resize(index + 1);
  auto const found = std::ranges::find(members, name.substr(2), &table_member<Table>::name);
  if (found == std::end(members)) return "no such key";
  return assign_to(*found, value, tables[index]);
}

/// Collects the problems of one table.
class table_check {
 public:
  table_check(std::string table, std::vector<std::string>& problems)
      : table_(std::move(table)), problems_(problems) {}

  void report(std::string_view member, std::string_view reason) {
    problems_.push_back(table_ + "." + std::string(member) + ": " + std::string(reason));
  }
  void require(std::string_view member, std::string const& value) {
    if (value.empty()) report(member, "must be set");
  }

 private:
  std::string table_;
  std::vector<std::string>& problems_;
};

void check_oidc_table(oidc_table const& each, table_check check) {
  auto const& provider = each.provider;
  check.require("id", provider.id);
  check.require("issuer", provider.issuer);
  check.require("client_id", provider.client_id);
  check.require("client_secret_file", each.client_secret_file);
  if (std::ranges::find(provider.scopes, "openid") == provider.scopes.end())
    check.report("scopes", "must have openid");
  if (provider.organization.empty() != provider.role.empty())
    check.report(provider.role.empty() ? "role" : "organization", "must be set, since the other of the two is set");
  if (!provider.role.empty() && provider.domains.empty())
    check.report("role", "must not be set without domains, because only people of those domains get it");
}

void check_group_table(group_mapping const& each, configuration const& values, table_check check) {
  check.require("provider", each.provider);
  check.require("group", each.group);
  check.require("organization", each.organization);
  check.require("role", each.role);
  auto const provider = std::ranges::find(values.sign_in.oidc, each.provider,
                                          [](oidc_table const& table) -> auto& { return table.provider.id; });
  if (!each.provider.empty() && provider == values.sign_in.oidc.end())
    check.report("provider", "no [[sign_in.oidc]] table has this id");
  else if (!each.provider.empty() && provider->provider.groups_claim.empty())
    check.report("provider", "this provider has no groups_claim");
  if (!each.role.empty() && each.project.empty() != is_organization_role(each.role))
    check.report("role", each.project.empty() ? "must be org_member or org_admin without a project"
                                              : "must be project_viewer, project_editor or project_admin");
}

/// An id must name one table. A domain must belong to one provider, because joining an account ends its identities of
/// other providers.
void check_repeated(configuration const& values, std::vector<std::string>& problems) {
  std::set<std::string_view> ids;
  std::map<std::string_view, std::string_view> owners;
  for (auto const& each : values.sign_in.oidc) {
    auto const& id = each.provider.id;
    if (!id.empty() && !ids.insert(id).second) problems.push_back("sign_in.oidc: two tables have the id " + id);
    for (auto const& domain : each.provider.domains)
      if (!owners.emplace(domain, id).second)
        problems.push_back("sign_in.oidc: the domain " + domain + " is named twice");
  }
}

secret_string read_secret(std::string const& path) {
  if (auto const problem = file_problem(path)) throw std::runtime_error(path + ": " + *problem);
  std::ifstream file(path, std::ios::binary);
  secret_string text(longest_secret + 3);
  file.read(text.data(), static_cast<std::streamsize>(longest_secret + 3));
  auto size = static_cast<std::size_t>(file.gcount());
  auto const whole = text.reveal().substr(0, size);
  if (whole.ends_with('\n')) --size;
  if (whole.ends_with("\r\n")) --size;
  text.shorten(size);
  bool const one_line = std::ranges::all_of(text.reveal(), [](char c) { return c >= ' ' && c != 0x7f; });
  if (text.empty() || size > longest_secret || !one_line)
    throw std::runtime_error(path + ": must have 1 to 1024 characters on one line");
  return text;
}

template <class Table, class Members>
void print_tables(std::string_view name, std::vector<Table> const& tables, Members const& members, std::string& out) {
  for (auto each : tables) {
    out.append("\n[[").append(name).append("]]\n");
    for (auto const& member : members) {
      if (member.text != nullptr) {
        if (!member.text(each).empty())
          out.append(member.name).append(" = ").append(toml_quoted(member.text(each))).append("\n");
        continue;
      }
      out.append(member.name).append(" = [");
      for (auto const& text : member.list(each))
        out.append(&text == &member.list(each).front() ? "" : ", ").append(toml_quoted(text));
      out.append("]\n");
    }
  }
}

}  // namespace

bool is_sign_in_value(std::string_view name) {
  return name.starts_with(oidc_prefix) || name.starts_with(groups_prefix);
}

void apply_sign_in(raw_value const& value, configuration& into, std::vector<std::string>& problems) {
  std::string_view const name = value.name;
  auto const problem = name.starts_with(oidc_prefix)
                           ? apply_to(name.substr(oidc_prefix.size()), value, oidc_members,
                                      sign_in::most_oidc_providers, into.sign_in.oidc)
                           : apply_to(name.substr(groups_prefix.size()), value, group_members,
                                      sign_in::most_group_mappings, into.sign_in.groups);
  if (problem) problems.push_back(value.name + ": " + *problem);
}

void check_sign_in(configuration const& values, configuration_use use, std::vector<std::string>& problems) {
  auto const& [oidc, groups] = values.sign_in;
  if (!oidc.empty() && values.public_url.empty())
    problems.emplace_back("public_url: must be set, since identity providers send browsers back to it");
  for (std::size_t i = 0; i < oidc.size(); ++i) {
    auto const table = "sign_in.oidc[" + std::to_string(i) + "]";
    check_oidc_table(oidc[i], {table, problems});
    if (use != configuration_use::serving || oidc[i].client_secret_file.empty()) continue;
    try {
      static_cast<void>(read_secret(oidc[i].client_secret_file));
    } catch (std::runtime_error const& e) {
      problems.push_back(table + ".client_secret_file: " + e.what());
    }
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    check_group_table(groups[i], values, {"sign_in.groups[" + std::to_string(i) + "]", problems});
  check_repeated(values, problems);
}

std::string printed_sign_in(configuration const& values) {
  std::string out;
  print_tables("sign_in.oidc", values.sign_in.oidc, oidc_members, out);
  print_tables("sign_in.groups", values.sign_in.groups, group_members, out);
  return out;
}

std::shared_ptr<sign_in::oidc_settings const> configuration::to_oidc_settings() const {
  sign_in::oidc_settings out{.public_url = public_url, .groups = sign_in.groups};
  for (auto const& each : sign_in.oidc) {
    auto& provider = out.providers.emplace_back(each.provider);
    if (provider.name.empty()) provider.name = provider.id;
    if (each.email_verified == "assumed") provider.email_verified = sign_in::unstated_email::assumed;
    provider.client_secret = read_secret(each.client_secret_file);
  }
  return std::make_shared<sign_in::oidc_settings const>(std::move(out));
}

}  // namespace svc::app
