// Any bytes are a snapshot or not; one that is read is written again as it was, and each format takes it.
#include "check.hpp"
#include "svc/domain/pages/formats.hpp"

#include <cstdint>

using namespace svc;
using namespace svc::pages;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const snapshot = read_snapshot(text_of(data, size));
  if (!snapshot) return 0;
  auto const json = write_snapshot(*snapshot);
  auto const again = read_snapshot(json);
  check(again.has_value(), "a written snapshot is read");
  check(write_snapshot(*again) == json, "and it is the same");
  auto const address = page_address::on_service("https://a.example", "slug");
  page_view const view{*snapshot, address, snapshot->as_of};
  check(!status_html(view).empty() && !history_html(view, current_month(view)).empty(), "pages");
  check(!rss_feed(view).empty() && !json_feed(view).empty() && !calendar(view).empty(), "feeds");
  check(!badge_svg(view).empty() && !summary_json(view).empty(), "badge and summary");
  check(!confirmation_mail(view, "token").text.empty(), "a mail");
  return 0;
}
