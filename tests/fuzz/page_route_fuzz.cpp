// Any target and host is a path of public pages or not; what is found has a valid name, and a moved path is found
// again.
#include "check.hpp"
#include "http/public_pages/routes.hpp"
#include "svc/domain/pages/inputs.hpp"

#include <algorithm>
#include <cstdint>

using namespace svc;
using namespace svc::public_pages;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const end = std::min(text.find('\n'), text.size());
  auto const target = text.substr(0, end), host = text.substr(std::min(end + 1, text.size()));
  auto const found = find_service_route(target);
  if (found.content == page_route::outcome::found) {
    bool const named = found.name.kind == name_kind::id ? uuid::parse(found.name.text).has_value()
                                                        : !pages::slug_problem(found.name.text);
    check(named, "a valid name");
    auto const moved = moved_path(found, "another-slug");
    auto const again = find_service_route(moved);
    check(again.content == page_route::outcome::found && again.form == found.form, "a moved path is found");
    check(std::ranges::all_of(moved, [](char c) { return c > ' ' && c < 0x7f; }), "a moved path is a field's value");
  }
  if (auto const domain = domain_of_host(host, "svc.example")) {
    check(pages::page_domain(*domain, "svc.example") == *domain, "a domain in its only spelling");
    check(find_domain_route(*domain, target).content != page_route::outcome::foreign, "all paths of a domain");
  }
  return 0;
}
