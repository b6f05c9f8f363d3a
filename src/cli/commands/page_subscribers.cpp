// Subscribers of a status page: addresses that get its posts by mail.
#include "cli/commands/status_pages.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column subscriber_row[] = {{"ID", "id", cell::id, 1},
                                     {"Address", "email", cell::name},
                                     {"Status", "status", cell::status},
                                     {"Components", "componentIds", cell::list, 3},
                                     {"Since", "confirmedAt", cell::time, 2}};

/// Returns the resource of a page's subscribers, whose path is below the page's own.
resource subscribers_below(std::string_view path) {
  return {.group = "page subscriber",
          .text = "subscriber",
          .many = "subscribers of a page",
          .path = path,
          .name_member = "email",
          .example = "person@example.org",
          .list_example = "acme",
          .row = subscriber_row};
}

owned_resource const& page_subscribers() {
  static owned_resource const out{.owner = page_resource(),
                                  .below = "/subscribers",
                                  .address = subscribers_below,
                                  .owner_help = "the page's id or slug"};
  return out;
}

}  // namespace

void add_subscriber_commands(CLI::App& page, context& cx) {
  auto* const subscriber = page.add_subcommand("subscriber", "Subscribers: addresses that get the posts by mail");
  subscriber->require_subcommand(1);
  add_owned_list(*subscriber, cx, page_subscribers());
  add_owned_delete(*subscriber, cx, page_subscribers());
}

}  // namespace svc::cli
