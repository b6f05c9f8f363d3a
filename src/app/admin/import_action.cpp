#include "app/admin/actions.hpp"
#include "svc/http/error_table.hpp"
#include "svc/store/tokens/token_import.hpp"

#include <charconv>
#include <fstream>
#include <iostream>
#include <map>

namespace svc::app::admin {

namespace {

constexpr std::size_t max_file = std::size_t{64} << 20;

std::string line_name(store::import_line const& l) {
  return "line " + std::to_string(l.number);
}

/// Each project and owner is looked up once, however many lines name it.
class resolver {
 public:
  explicit resolver(session& s) : s_(s) {}

  task<result<store::new_token>> resolve(store::import_line l) {
    auto const project = co_await find_project(l.project);
    if (!project) co_return project.error();
    auto const owner = co_await find_owner(l.owner);
    if (!owner) co_return owner.error();
    co_return store::new_token{.kind = l.kind,
                               .scope = {*project, l.job},
                               .owner = *owner,
                               .name = l.name,
                               .start = l.start,
                               .digest = l.digest,
                               .enabled = l.enabled,
                               .expires_at = l.expires_at};
  }

 private:
  task<result<uuid>> find_project(std::string which) {
    if (auto const known = projects_.find(which); known != projects_.end()) co_return known->second;
    auto const found = co_await s_.directory.find_project(which, s_.patience());
    if (found) projects_[which] = *found;
    co_return found;
  }

  task<result<uuid>> find_owner(std::string name) {
    if (auto const known = owners_.find(name); known != owners_.end()) co_return known->second;
    auto const found = co_await s_.directory.find_user(name, s_.patience());
    if (!found) co_return found.error();
    owners_[name] = found->id;
    co_return found->id;
  }

  session& s_;
  std::map<std::string, uuid> projects_, owners_;
};

error at_line(error failure, store::import_line const& l) {
  std::string text = failure.message.empty() ? std::string(http::row_of(failure.code).sentence) : failure.message;
  return {failure.code, "Nothing was imported.", {{line_name(l), std::move(text)}}};
}

/// The store names rows by index; people need the file's line numbers.
error by_line(error const& failure, std::vector<store::import_line> const& lines) {
  std::size_t index = 0;
  if (!failure.details.empty()) {
    std::string_view const address = std::string_view(failure.details[0].field).substr(1);
    std::from_chars(address.data(), address.data() + address.size(), index);
  }
  return at_line(failure, lines.at(index));
}

std::vector<sha256_digest> digests_of(std::vector<store::import_line> const& lines) {
  std::vector<sha256_digest> out;
  for (store::import_line const& l : lines) out.push_back(l.digest);
  return out;
}

}  // namespace

result<std::string> read_file(std::string const& path) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& input = path == "-" ? std::cin : file;
  std::string text(std::istreambuf_iterator<char>(input), {});
  if (path != "-" && !file.is_open()) return error(errc::validation_failed, "\"" + path + "\" cannot be read.");
  if (text.size() > max_file) return error(errc::validation_failed, "\"" + path + "\" is larger than 64 MiB.");
  return text;
}

task<answer> import_tokens(session& s, arguments a) {
  auto const text = read_file(a.file);
  if (!text) co_return text.error();
  auto const lines = store::parse_token_csv(*text);
  if (!lines) co_return lines.error();

  resolver names(s);
  std::vector<store::new_token> all;
  for (store::import_line const& l : *lines) {
    auto token = co_await names.resolve(l);
    if (!token) co_return at_line(token.error(), l);
    all.push_back(std::move(*token));
  }
  deadline const until = deadline::after(std::chrono::minutes(5));
  auto const made = co_await s.tokens.import(std::move(all), s.actor, until);
  if (!made.outcome) co_return by_line(made.outcome.error(), *lines);
  co_await s.announce(digests_of(*lines));
  co_return boost::json::value{{"imported", made.outcome->size()}};
}

}  // namespace svc::app::admin
