#include "domain/pages/frame.hpp"

#include <algorithm>

namespace svc::embedded {
extern std::string_view const page_style;
extern std::string_view const page_script;
}  // namespace svc::embedded

namespace svc::pages {
namespace {

/// The icons and signs of all pages. Their shapes are those of the dashboard.
constexpr std::string_view sprite = R"svg(<svg class="sprite" aria-hidden="true" focusable="false">
<symbol id="i-left" viewBox="0 0 16 16"><path d="M9.75 4.5 6.25 8l3.5 3.5"/></symbol>
<symbol id="i-mail" viewBox="0 0 16 16"><rect x="2" y="3.25" width="12" height="9.5" rx="1.75"/><path d="M2.75 4.75 8 8.9l5.25-4.15"/></symbol>
<symbol id="i-right" viewBox="0 0 16 16"><path d="M6.25 4.5 9.75 8l-3.5 3.5"/></symbol>
<symbol id="i-rss" viewBox="0 0 16 16"><path d="M3 8.25A4.75 4.75 0 0 1 7.75 13M3 3.75A9.25 9.25 0 0 1 12.25 13M3.5 12.5h.01"/></symbol>
<symbol id="s-degraded" viewBox="0 0 16 16"><path d="M8 2.25 14.25 13.4H1.75z" fill="currentColor" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"/><path d="M8 6.1v3.3M8 11.6h.01" stroke="var(--sign-mark)" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.7"/></symbol>
<symbol id="s-failed" viewBox="0 0 16 16"><rect x="1.25" y="1.25" width="13.5" height="13.5" rx="3.5" fill="currentColor"/><path d="m5.4 5.4 5.2 5.2M10.6 5.4l-5.2 5.2" stroke="var(--sign-mark)" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.7"/></symbol>
<symbol id="s-info" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="currentColor"/><path d="M8 7.6v3.6M8 4.9h.01" stroke="var(--sign-mark)" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.7"/></symbol>
<symbol id="s-maintenance" viewBox="0 0 16 16"><path d="m8 1.5 5.6 3.25v6.5L8 14.5l-5.6-3.25v-6.5z" fill="currentColor" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.25"/><circle cx="8" cy="8" r="2.5" fill="var(--sign-mark)"/></symbol>
<symbol id="s-partial" viewBox="0 0 16 16"><rect x="1.25" y="1.25" width="13.5" height="13.5" rx="3.5" fill="currentColor"/><path d="M5 8h6" stroke="var(--sign-mark)" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.9"/></symbol>
<symbol id="s-passed" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="currentColor"/><path d="m4.9 8.3 2.15 2.15L11.2 6" stroke="var(--sign-mark)" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.7"/></symbol>
<symbol id="s-queued" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.25" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.5"/><path d="M5.1 8h.01M8 8h.01M10.9 8h.01" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.9"/></symbol>
<symbol id="s-running" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2" stroke-opacity="0.28"/><path class="sign-spin" d="M8 2a6 6 0 0 1 6 6" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"/><circle cx="8" cy="8" r="2" fill="currentColor"/></symbol>
<symbol id="s-unknown" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.25" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.5" stroke-dasharray="2.2 2.7"/><path d="M6.35 6.5A1.7 1.7 0 1 1 8.75 8c-.5.3-.75.6-.75 1.15M8 11.2h.01" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.5"/></symbol>
</svg>
)svg";

void add_meta(page_context& page, std::string_view title) {
  auto const& facts = page.view.snapshot.page;
  page.out.raw("<title>").text(title).raw(" · ").text(page.texts.page_title(facts.name)).raw("</title>\n");
  page.out.raw(R"(<meta name="description" content=")").text(page.texts.page_description(facts.name)).raw("\">\n");
  if (facts.visible != visibility::listed) page.out.raw("<meta name=\"robots\" content=\"noindex\">\n");
  if (!facts.feeds) return;
  page.out.raw(R"(<link rel="alternate" type="application/rss+xml" title="RSS" href=")")
      .text(page.view.address.data("rss"))
      .raw("\">\n");
  page.out.raw(R"(<link rel="alternate" type="application/feed+json" title="JSON Feed" href=")")
      .text(page.view.address.data("feed.json"))
      .raw("\">\n");
}

/// Appends what the script reads: the time of the page, the summary, and the words of a grey page.
void add_script_values(page_context& page) {
  if (!has_script(page.view.snapshot.page.visible)) return;
  page.out.raw(" data-now=\"").number(page.view.now.micros / 1000);
  page.out.raw("\" data-json=\"").text(page.view.address.data("summary"));
  page.out.raw("\" data-revision=\"").text(revision_of(page.view.snapshot, page.statuses, page.view.now));
  page.out.raw("\" data-unknown=\"").text(page.texts.unknown);
  page.out.raw("\" data-heading=\"").text(page.texts.status_unknown).raw("\"");
}

void add_logo(page_context& page) {
  auto const& facts = page.view.snapshot.page;
  page.out.raw("<a class=\"public-logo\" href=\"").text(page.view.address.page()).raw("\">");
  if (!facts.logo_type.empty() && can_send_requests(facts.visible)) {
    page.out.raw("<img src=\"").text(page.view.address.logo()).raw("\" alt=\"\" width=\"28\" height=\"28\">");
  } else if (!facts.accent_color.empty()) {
    page.out.raw(R"(<svg viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="7" fill=")")
        .text(facts.accent_color)
        .raw("\"/></svg>");
  }
  page.out.text(facts.name).raw("</a>");
}

void add_head_links(page_context& page) {
  page.out.raw("<nav class=\"push row g-2\" aria-label=\"").text(page.texts.navigation).raw("\">");
  page.out.raw("<a class=\"btn btn-quiet\" href=\"").text(page.view.address.page()).raw("\">");
  page.out.text(page.texts.all_systems).raw("</a>");
  if (page.view.snapshot.page.subscribers && can_send_requests(page.view.snapshot.page.visible)) {
    page.out.raw("<a class=\"btn\" href=\"").text(page.view.address.page()).raw("#subscribe\">");
    page.out.raw(R"(<svg class="icon" aria-hidden="true"><use href="#i-mail"/></svg>)");
    page.out.text(page.texts.get_updates).raw("</a>");
  }
  page.out.raw("</nav>");
}

void add_link(markup& out, std::string_view address, std::string_view text) {
  out.raw("<a href=\"").text(address).raw("\">").text(text).raw("</a>");
}

void add_foot(page_context& page) {
  auto const& facts = page.view.snapshot.page;
  auto const& address = page.view.address;
  page.out.raw("<footer class=\"public-foot\"><div class=\"wrap row g-4\"><span data-local=\"")
      .text(page.texts.times_local)
      .raw("\">")
      .text(page.texts.times_in(page.clock.zone_name()))
      .raw("</span>");
  add_link(page.out, address.history(), page.texts.history);
  if (facts.feeds) {
    add_link(page.out, address.data("rss"), "RSS");
    add_link(page.out, address.data("feed.json"), "JSON Feed");
    add_link(page.out, address.data("ical"), page.texts.calendar);
  }
  if (!facts.support_url.empty()) add_link(page.out, facts.support_url, page.texts.support);
  page.out.raw("<span class=\"push\">");
  auto const as_of = page.view.snapshot.as_of;
  page.out.text(page.texts.as_of(page.clock.full_moment(as_of))).raw("</span></div></footer>\n");
}

void add_post(page_context& page, post const& post, bool with_id) {
  page.out.raw("<li");
  if (with_id) page.out.raw(" id=\"").text(post.id.to_string()).raw("\"");
  page.out.raw("><div>");
  add_state(page.out, look_of(post.status), word_of(page.texts, post.status));
  add_time(page.out, post.published_at, page.clock.moment(post.published_at));
  page.out.raw("</div><div class=\"stack g-3\">").body(post.body);
  if (post.edited_at)
    page.out.raw("<p class=\"small faint\">").text(page.texts.edited(page.clock.moment(*post.edited_at))).raw("</p>");
  page.out.raw("</div></li>");
}

}  // namespace

void add_sign(markup& out, status_look look) {
  out.raw("<svg class=\"sign ")
      .raw(look.state)
      .raw("\" aria-hidden=\"true\"><use href=\"#")
      .raw(look.sign)
      .raw("\"/></svg>");
}

void add_state(markup& out, status_look look, std::string_view word) {
  out.raw("<span class=\"state ").raw(look.state).raw("\">");
  add_sign(out, look);
  out.text(word).raw("</span>");
}

void add_time(markup& out, timestamp moment, std::string_view text) {
  out.raw("<time datetime=\"").raw(to_rfc3339(moment)).raw("\">").text(text).raw("</time>");
}

void add_timed(page_context& page, pattern<1> const& words, timestamp moment, std::string_view text) {
  auto const whole = words("\x01");
  auto const place = whole.find('\x01');
  page.out.text(std::string_view(whole).substr(0, place));
  add_time(page.out, moment, text);
  page.out.text(std::string_view(whole).substr(place + 1));
}

void add_posts(page_context& page, std::vector<post> const& posts, std::size_t most, bool with_ids) {
  page.out.raw("<ol class=\"updates\">");
  for (std::size_t i = 0; i < std::min(most, posts.size()); ++i)
    if (!posts[i].body.empty()) add_post(page, posts[i], with_ids);
  page.out.raw("</ol>");
}

void open_page(page_context& page, std::string_view title) {
  auto const language = to_text(page.view.snapshot.page.language);
  page.out.raw("<!doctype html>\n<html lang=\"").raw(language).raw("\">\n<head>\n<meta charset=\"utf-8\">\n");
  page.out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  page.out.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
  add_meta(page, title);
  page.out.raw("<style>").raw(page_style()).raw("</style>\n</head>\n<body class=\"public\"");
  add_script_values(page);
  page.out.raw(">\n").raw(sprite).raw("<a class=\"skip\" href=\"#main\">").text(page.texts.skip).raw("</a>\n");
  page.out.raw("<header class=\"public-head\"><div class=\"wrap\">");
  add_logo(page);
  add_head_links(page);
  page.out.raw("</div></header>\n<main class=\"wrap public-main\" id=\"main\">\n");
}

void close_page(page_context& page) {
  page.out.raw("</main>\n");
  add_foot(page);
  if (has_script(page.view.snapshot.page.visible)) page.out.raw("<script>").raw(page_script()).raw("</script>\n");
  page.out.raw("</body>\n</html>\n");
}

std::string_view page_style() {
  return embedded::page_style;
}

std::string_view page_script() {
  return embedded::page_script;
}

}  // namespace svc::pages
