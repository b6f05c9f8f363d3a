#include "domain/pages/page_parts.hpp"

#include <array>

namespace svc::pages {
namespace {

constexpr std::array<post_status, 4> phases{post_status::investigating, post_status::identified,
                                            post_status::monitoring, post_status::resolved};

void add_phase(page_context& page, std::size_t phase, std::size_t reached) {
  struct phase_look {
    std::string_view item, sign_state, sign, word;
  };
  bool const over = reached + 1 == phases.size();
  auto const& texts = page.texts;
  auto const look = phase < reached || (over && phase == reached)
                        ? phase_look{" class=\"is-past\"", "s-ok", "s-passed", texts.done}
                    : phase == reached ? phase_look{" aria-current=\"step\"", "s-running", "s-running", texts.now}
                                       : phase_look{"", "s-pending", "s-queued", texts.not_yet};
  page.out.raw("<li")
      .raw(look.item)
      .raw("><svg class=\"sign ")
      .raw(look.sign_state)
      .raw("\" role=\"img\" aria-label=\"");
  page.out.text(look.word).raw("\"><use href=\"#").raw(look.sign).raw("\"/></svg>");
  page.out.text(word_of(texts, phases.at(phase))).raw("</li>");
}

void add_progress(page_context& page, post_status status) {
  auto const reached = status == post_status::postmortem ? phases.size() - 1 : static_cast<std::size_t>(status);
  page.out.raw("<h2 class=\"vh\">").text(page.texts.progress).raw("</h2><ol class=\"phases\">");
  for (std::size_t phase = 0; phase < phases.size(); ++phase) add_phase(page, phase, reached);
  page.out.raw("</ol>\n");
}

void add_badge(page_context& page, status_look look, std::string_view word) {
  page.out.raw("<span class=\"badge ").raw(look.state).raw("\">");
  add_sign(page.out, look);
  page.out.text(word).raw("</span>");
}

void add_affected(page_context& page, page_incident const& incident) {
  page.out.raw("<ul class=\"row g-4\">");
  for (auto const& affected : incident.components) {
    auto const* const component = find_component(page.view.snapshot, affected.id);
    if (component == nullptr) continue;
    page.out.raw("<li class=\"row g-2\">").text(component->name).raw(" ");
    add_state(page.out, look_of(affected.status), word_of(page.texts, affected.status));
    page.out.raw("</li>");
  }
  page.out.raw("</ul>");
}

void add_updates(page_context& page, std::vector<post> const& posts, bool shortened) {
  page.out.raw("<section class=\"stack g-4\" aria-labelledby=\"up-h\"><h2 id=\"up-h\">")
      .text(page.texts.updates)
      .raw("</h2>");
  add_posts(page, posts, posts.size(), true);
  if (shortened) page.out.raw("<p class=\"small faint\">").text(page.texts.shortened).raw("</p>");
  page.out.raw("</section>\n");
}

void add_way_back(page_context& page) {
  page.out.raw("<p class=\"row g-3\"><a class=\"btn\" href=\"").text(page.view.address.page()).raw("\">");
  page.out.raw(R"(<svg class="icon" aria-hidden="true"><use href="#i-left"/></svg>)")
      .text(page.texts.all_systems)
      .raw("</a>");
  if (page.view.snapshot.page.feeds) {
    page.out.raw("<a class=\"btn btn-quiet\" href=\"").text(page.view.address.data("rss")).raw("\">");
    page.out.raw(R"(<svg class="icon" aria-hidden="true"><use href="#i-rss"/></svg>RSS</a>)");
  }
  page.out.raw("</p>\n");
}

void add_incident_times(page_context& page, page_incident const& incident) {
  page.out.raw("<span class=\"muted\">");
  add_time(page.out, incident.started_at, page.clock.long_moment(incident.started_at));
  if (incident.resolved_at) {
    page.out.raw(" – ");
    add_time(page.out, *incident.resolved_at, page.clock.long_moment(*incident.resolved_at));
  }
  page.out.raw("</span>");
}

}  // namespace

std::optional<std::string> incident_html(page_view const& view, uuid const& id) {
  auto const* const incident = find_incident(view.snapshot, id);
  if (incident == nullptr) return std::nullopt;
  page_context page(view);
  open_page(page, incident->name);
  page.out.raw("<article class=\"stack g-8\"><header class=\"stack g-3\"><p class=\"row g-3\">");
  add_badge(page, look_of(incident->effect), word_of(page.texts, incident->effect));
  add_incident_times(page, *incident);
  page.out.raw("</p><h1>").text(incident->name).raw("</h1>");
  add_affected(page, *incident);
  page.out.raw("</header>\n");
  add_progress(page, incident->status);
  add_updates(page, incident->posts, incident->shortened);
  add_way_back(page);
  page.out.raw("</article>\n");
  close_page(page);
  return page.out.take();
}

std::optional<std::string> maintenance_html(page_view const& view, uuid const& id) {
  auto const* const maintenance = find_maintenance(view.snapshot, id);
  if (maintenance == nullptr) return std::nullopt;
  page_context page(view);
  open_page(page, maintenance->name);
  auto const state = state_of(page.texts, *maintenance, view.now);
  page.out.raw("<article class=\"stack g-8\"><header class=\"stack g-3\"><p class=\"row g-3\">");
  add_badge(page, state.look, state.word);
  page.out.raw("<span class=\"muted\">");
  add_span(page, *maintenance);
  page.out.raw("</span></p><h1>").text(maintenance->name).raw("</h1>");
  auto const names = names_of(page, maintenance->components);
  if (!names.empty()) page.out.raw("<p class=\"muted\">").text(page.texts.affected(names)).raw("</p>");
  page.out.raw("</header>\n");
  add_updates(page, maintenance->posts, maintenance->shortened);
  add_way_back(page);
  page.out.raw("</article>\n");
  close_page(page);
  return page.out.take();
}

}  // namespace svc::pages
