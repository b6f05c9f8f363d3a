// RSS 2.0 and JSON Feed 1.1.
#include "domain/pages/entries.hpp"
#include "svc/core/harmless_text.hpp"

#include <boost/json.hpp>

namespace svc::pages {
namespace {

void add_element(markup& out, std::string_view name, std::string_view text) {
  out.raw("<").raw(name).raw(">").text(text).raw("</").raw(name).raw(">");
}

void add_item(page_context& page, feed_entry const& entry) {
  auto const& view = page.view;
  page.out.raw("<item>");
  add_element(page.out, "title", title_of(page.texts, entry));
  add_element(page.out, "link", address_of(view, entry));
  page.out.raw("<guid isPermaLink=\"false\">").text(urn_of(entry)).raw("</guid>");
  add_element(page.out, "pubDate", to_http_date(entry.text->published_at));
  add_element(page.out, "category", category_of(entry));
  auto const planned = planned_time(page, entry);
  auto const html = (planned.empty() ? "" : "<p>" + escaped_line(planned) + "</p>") + paragraphs(entry.text->body);
  page.out.raw("<description>").raw(escaped_markup(html)).raw("</description></item>\n");
}

boost::json::object item_object(page_context const& page, feed_entry const& entry) {
  auto const planned = planned_time(page, entry);
  auto const body = plain_body(entry.text->body);
  boost::json::object out{
      {"id", urn_of(entry)},
      {"url", address_of(page.view, entry)},
      {"title", title_of(page.texts, entry)},
      {"content_text", planned.empty() || body.empty() ? planned + body : planned + "\n\n" + body},
      {"date_published", to_rfc3339(entry.text->published_at)}};
  if (entry.text->edited_at) out["date_modified"] = to_rfc3339(*entry.text->edited_at);
  out["tags"] = boost::json::array{category_of(entry), to_text(entry.text->status)};
  return out;
}

}  // namespace

std::string rss_feed(page_view const& view) {
  page_context page(view);
  auto const& facts = view.snapshot.page;
  page.out.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  page.out.raw("<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\"><channel>");
  add_element(page.out, "title", facts.name);
  add_element(page.out, "link", view.address.page());
  auto const headline = facts.headline.empty() ? page.texts.page_title(facts.name) : facts.headline;
  add_element(page.out, "description", headline);
  add_element(page.out, "language", to_text(facts.language));
  add_element(page.out, "lastBuildDate", to_http_date(changed_at(view.snapshot, view.now)));
  page.out.raw("<ttl>5</ttl><atom:link href=\"").text(view.address.data("rss"));
  page.out.raw("\" rel=\"self\" type=\"application/rss+xml\"/>\n");
  for (auto const& entry : entries_of(view)) add_item(page, entry);
  page.out.raw("</channel></rss>\n");
  return page.out.take();
}

std::string json_feed(page_view const& view) {
  page_context const page(view);
  auto const& facts = view.snapshot.page;
  boost::json::array items;
  for (auto const& entry : entries_of(view)) items.push_back(item_object(page, entry));
  return boost::json::serialize(boost::json::object{{"version", "https://jsonfeed.org/version/1.1"},
                                                    {"title", one_line(facts.name)},
                                                    {"home_page_url", view.address.page()},
                                                    {"feed_url", view.address.data("feed.json")},
                                                    {"language", to_text(facts.language)},
                                                    {"items", std::move(items)}});
}

}  // namespace svc::pages
