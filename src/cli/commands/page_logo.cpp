// The logo of a status page.
#include "cli/commands/arguments.hpp"
#include "cli/commands/status_pages.hpp"
#include "svc/core/bytes.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

namespace svc::cli {
namespace {

/// The largest logo in bytes, by the contract.
constexpr std::size_t largest_logo = std::size_t{256} << 10;

struct logo_arguments {
  std::string page, file;
  bool none = false;
};

/// Returns the media type by the first bytes of a picture. Throws `bad_usage` for any other file.
std::string_view logo_type_of(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff"sv)) return "image/jpeg";
  if (bytes.starts_with("RIFF"sv) && bytes.substr(std::min<std::size_t>(bytes.size(), 8)).starts_with("WEBP"sv))
    return "image/webp";
  throw bad_usage("The logo is not a PNG, JPEG or WebP.");
}

exit_code remove_logo(context& cx, std::string const& page) {
  answer_to(cx, {.method = "DELETE", .target = target_of(cx, page_resource(), page, "/logo")});
  cx.console.note("Removed the logo of page " + page + ".");
  return exit_code::ok;
}

exit_code set_logo(context& cx, logo_arguments const& given) {
  if (given.none == !given.file.empty()) throw bad_usage("Write the FILE of the logo, or --none to remove it.");
  if (given.none) return remove_logo(cx, given.page);
  auto const bytes = bytes_of_file(given.file, largest_logo);
  boost::json::object const picture{{"contentType", logo_type_of(bytes)}, {"data", to_base64(as_bytes(bytes))}};
  request const r{.method = "PUT",
                  .target = target_of(cx, page_resource(), given.page, "/logo"),
                  .body = boost::json::serialize(picture)};
  auto const answer = answer_to(cx, r);
  cx.console.note("Stored the logo of page " + given.page + ".");
  return show_one(cx, page_resource(), answer);
}

}  // namespace

void add_page_logo(CLI::App& page, context& cx) {
  auto const given = std::make_shared<logo_arguments>();
  auto* const logo = add_command(page, cx, "logo", "Set the logo of a page, or remove it", "acme logo.png",
                                 [&cx, given] { return set_logo(cx, *given); });
  add_target(*logo, page_resource(), given->page);
  logo->add_option("FILE", given->file, "a PNG, JPEG or WebP of at most 256 KiB; - is stdin")->type_name("FILE");
  logo->add_flag("--none", given->none, "remove the logo");
}

}  // namespace svc::cli
