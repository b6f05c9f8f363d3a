// Subject and text part of mails; whoever sends them writes the other fields of the head.
#include "domain/pages/entries.hpp"
#include "svc/core/harmless_text.hpp"

#include <algorithm>

namespace svc::pages {
namespace {

constexpr std::size_t longest_name = 80, longest_subject = 200;

std::optional<feed_entry> find_entry(page_view const& view, uuid const& post_id) {
  for (auto const& incident : view.snapshot.incidents)
    for (auto const& each : incident.posts)
      if (each.id == post_id) return feed_entry{.text = &each, .incident = &incident};
  for (auto const& maintenance : view.snapshot.maintenance)
    for (auto const& each : maintenance.posts)
      if (each.id == post_id) return feed_entry{.text = &each, .maintenance = &maintenance};
  return std::nullopt;
}

void add_paragraph(std::string& out, std::string_view text) {
  if (text.empty()) return;
  if (!out.empty()) out += '\n';
  out.append(text).append("\n");
}

}  // namespace

page_mail confirmation_mail(page_view const& view, std::string_view token) {
  auto const& texts = texts_of(view.snapshot.page.language);
  auto const harmless = without_links(view.snapshot.page.name, longest_name);
  auto const name = harmless.empty() ? std::string(view.address.host()) : harmless;
  return {.subject = texts.mail_confirm_subject(name),
          .text = texts.mail_confirm_text(name, view.address.host(), view.address.subscription(token),
                                          texts.refuse_button.text())};
}

std::optional<page_mail> post_mail(page_view const& view, uuid const& post_id, std::string_view token) {
  auto const entry = find_entry(view, post_id);
  if (!entry) return std::nullopt;
  page_context const page(view);
  auto const title = title_of(page.texts, *entry);
  auto const ids = entry->incident != nullptr ? ids_of(*entry->incident) : entry->maintenance->components;
  auto const names = one_line(names_of(page, ids));
  std::string text;
  add_paragraph(text, title);
  add_paragraph(text, planned_time(page, *entry));
  add_paragraph(text, plain_body(entry->text->body));
  if (!names.empty()) add_paragraph(text, page.texts.affected(names));
  add_paragraph(text, page.texts.mail_on_page(address_of(view, *entry)));
  add_paragraph(text, page.texts.mail_stop(view.address.subscription(token)));
  return page_mail{.subject = cut(one_line(view.snapshot.page.name) + ": " + title, longest_subject),
                   .text = std::move(text)};
}

}  // namespace svc::pages
