#include "domain/pages/frame.hpp"

namespace svc::pages {
namespace {

struct step_words {
  std::string title, text;
};

step_words words_of(page_context const& page, subscription_step step) {
  auto const& texts = page.texts;
  auto const& name = page.view.snapshot.page.name;
  auto const title = [](phrase const& words) { return std::string(words.text()); };
  switch (step) {
    case subscription_step::confirm:
      return {title(texts.confirm_title), texts.confirm_text(name)};
    case subscription_step::stop:
      return {title(texts.stop_title), texts.stop_text(name)};
    case subscription_step::asked:
      return {title(texts.asked_title), title(texts.asked_text)};
    case subscription_step::confirmed:
      return {title(texts.confirmed_title), texts.confirmed_text(name)};
    case subscription_step::stopped:
      return {title(texts.stopped_title), texts.stopped_text(name)};
    case subscription_step::refused:
      return {title(texts.refused_title), title(texts.refused_text)};
    case subscription_step::link_over:
      break;
  }
  return {title(texts.link_over_title), title(texts.link_over_text)};
}

/// Appends a form of one button. A link would let programs that follow links act for the reader.
void add_button(page_context& page, std::string_view token, std::string_view action, std::string_view look,
                std::string_view word) {
  page.out.raw("<form method=\"post\" action=\"").text(page.view.address.subscription(token)).raw("\">");
  page.out.raw("<input type=\"hidden\" name=\"action\" value=\"").raw(action).raw("\"><button class=\"btn btn-l");
  page.out.raw(look).raw("\" type=\"submit\">").text(word).raw("</button></form>\n");
}

void add_buttons(page_context& page, subscription_step step, std::string_view token) {
  if (step == subscription_step::stop) add_button(page, token, "stop", " btn-primary", page.texts.stop_title);
  if (step != subscription_step::confirm) return;
  add_button(page, token, "confirm", " btn-primary", page.texts.confirm_button);
  page.out.raw("<p class=\"muted\">").text(page.texts.refuse_text).raw("</p>\n");
  add_button(page, token, "refuse", "", page.texts.refuse_button);
}

std::string bare_page(std::string_view title, std::string_view text) {
  markup out;
  out.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  out.raw("<meta name=\"robots\" content=\"noindex\">\n<title>").text(title).raw("</title>\n<style>");
  out.raw(page_style())
      .raw(
          "</style>\n</head>\n<body class=\"public\">\n<main class=\"wrap public-main\"><div class=\"stack "
          "g-3\"><h1>");
  out.text(title).raw("</h1><p>").text(text).raw("</p></div></main>\n</body>\n</html>\n");
  return out.take();
}

}  // namespace

std::string subscription_html(page_view const& view, subscription_step step, std::string_view token) {
  page_context page(view);
  auto const words = words_of(page, step);
  open_page(page, words.title);
  page.out.raw("<section class=\"stack g-4\"><h1>").text(words.title).raw("</h1><p>").text(words.text).raw("</p>\n");
  add_buttons(page, step, token);
  page.out.raw("</section>\n");
  close_page(page);
  return page.out.take();
}

std::string missing_html() {
  return bare_page("Page not found", "There is no public status page at this address.");
}

std::string unavailable_html() {
  return bare_page("Status not available",
                   "This status page cannot be shown at the moment. Load it again in a minute.");
}

std::string limited_html() {
  return bare_page("Too many requests",
                   "Too many requests came from your network address. Wait a minute, then load the page again.");
}

std::string refused_html() {
  return bare_page("Not accepted",
                   "This cannot be taken as it is. Go back, check what you have entered, and send it again.");
}

}  // namespace svc::pages
