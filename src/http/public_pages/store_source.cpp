#include "svc/http/public_pages/store_source.hpp"

#include "svc/core/result.hpp"

#include <utility>

namespace svc::public_pages {
namespace {

/// Ranges were checked when they were stored. An unreadable one admits nobody.
std::vector<cidr> stored_ranges(std::vector<std::string> const& texts) {
  std::vector<cidr> out;
  for (auto const& each : texts)
    if (auto const range = cidr::parse(each)) out.push_back(*range);
  return out;
}

}  // namespace

void store_source::check_ready() const {
  if (!ready_) throw unavailable("the database has not shown its schema");
}

task<std::optional<located_page>> store_source::find(page_name name, deadline until) {
  check_ready();
  std::optional<store::page_name> found;
  if (name.kind == name_kind::domain) {
    found = co_await pages_.find_domain(name.text, until);
  } else if (name.kind == name_kind::slug) {
    found = co_await pages_.find_slug(name.text, until);
  } else if (auto const id = uuid::parse(name.text)) {
    found = co_await pages_.find(*id, until);
  }
  if (!found) co_return std::nullopt;
  co_return located_page{found->id, found->former};
}

task<page_version> store_source::version(uuid id, deadline until) {
  check_ready();
  auto const found = co_await pages_.version(id, until);
  co_return page_version{found.version, found.now};
}

task<page_ptr> store_source::build(uuid id, deadline until) {
  check_ready();
  auto found = co_await pages_.read(id, until);
  if (!found) co_return nullptr;
  co_return std::make_shared<published_page const>(published_page{.project = found->project,
                                                                  .version = found->version,
                                                                  .allowed = stored_ranges(found->allowed_cidrs),
                                                                  .domain = found->domain.value_or(""),
                                                                  .snapshot = std::move(found->snapshot)});
}

task<std::optional<page_logo>> store_source::logo(uuid id, deadline until) {
  check_ready();
  auto found = co_await pages_.logo(id, until);
  if (!found) co_return std::nullopt;
  co_return page_logo{std::move(found->content_type), std::move(found->bytes)};
}

task<std::vector<uuid>> store_source::published(uuid after, int most, deadline until) {
  check_ready();
  co_return co_await pages_.published(after, most, until);
}

}  // namespace svc::public_pages
