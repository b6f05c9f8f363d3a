#include "svc/api/client_files.hpp"

#include "svc/api/handlers.hpp"
#include "svc/api/response_account.hpp"
#include "svc/api/services.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/shared_texts.hpp"

#include <algorithm>
#include <utility>

namespace svc::embedded {
extern std::string_view const install_sh;
}

namespace svc::api {
namespace {

/// Returns the text in the form that it has between single quotes in a shell script.
std::string within_quotes(std::string_view text) {
  std::string out;
  for (char const c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

void fill_in(std::string& script, std::string_view placeholder, std::string_view text) {
  for (auto sv = script.find(placeholder); sv != script.npos; sv = script.find(placeholder, sv + text.size()))
    script.replace(sv, placeholder.size(), text);
}

client_file file_of(std::string name, std::string bytes, std::string_view content_type) {
  auto etag = "\"" + to_hex(byte_view(sha256(bytes)).first(16)) + "\"";
  return {std::move(name), std::make_shared<std::string const>(std::move(bytes)), std::move(etag), content_type};
}

/// A share of the account of responses for the bytes of a file. All downloads of the file hold it together, because
/// they share the bytes.
task<result<shared_text_ptr>> hold_file(account& responses, std::size_t bytes) {
  auto const held = std::make_shared<shared_text>(shared_text{.held = {responses, response_owner(nullptr)}});
  if (!held->held.hold(bytes)) co_return no_response_room();
  co_return shared_text_ptr(held);
}

error no_client_file(client_files const& files) {
  if (files.empty())
    return {errc::not_found,
            "This service does not hand out its client; ask its operator (cli.serve, cli.directory)."};
  return {errc::not_found, "This service has no such file of its client; it has: " + files.names() + "."};
}

}  // namespace

client_file const* client_files::find(std::string_view name) const {
  auto const found = std::ranges::find(files_, name, &client_file::name);
  return found == files_.end() ? nullptr : &*found;
}

std::string client_files::names() const {
  std::string out;
  for (auto const& each : files_) out += (out.empty() ? "" : ", ") + each.name;
  return out;
}

client_files make_client_files(std::vector<client_program> programs, std::string_view public_url,
                               std::string_view version) {
  if (programs.empty()) return {};
  std::vector<client_file> files;
  std::string known;
  for (auto& program : programs) {
    auto const name = "svc-linux-" + program.architecture;
    auto const sum = to_hex(byte_view(sha256(program.bytes)));
    known +=
        (known.empty() ? "" : "\n") + program.architecture + " " + std::to_string(program.bytes.size()) + " " + sum;
    files.push_back(file_of(name, std::move(program.bytes), "application/octet-stream"));
    files.push_back(file_of(name + ".sha256", sum + "  " + name + "\n", "text/plain"));
  }
  std::string script(embedded::install_sh);
  fill_in(script, "@URL@", within_quotes(public_url));
  fill_in(script, "@VERSION@", within_quotes(version));
  fill_in(script, "@CLIENTS@", known);
  files.insert(files.begin(), file_of("install.sh", std::move(script), "text/plain"));
  return client_files(std::move(files));
}

task<result<reply>> get_client_file(call& c) {
  auto const name = std::ranges::find(c.path, "file", [](auto const& each) { return each.first; });
  auto const* const file = c.use.client.find(name->second);
  if (file == nullptr) co_return no_client_file(c.use.client);
  reply out;
  if (c.request.method == "GET" && file->bytes->size() >= least_charged) {
    // `scripts` keeps its texts as long as a response uses them.
    auto const make = [&responses = c.use.responses, bytes = file->bytes->size()] {
      return hold_file(responses, bytes);
    };
    auto held = co_await c.use.scripts.find("cli/" + file->name, make, c.until);
    if (!held) co_return held.error();
    out.held = *held;
  }
  out.document = file->bytes;
  out.content_type = file->content_type;
  out.fields.emplace_back("ETag", file->etag);
  // An old script must not meet a new program in a cache, because it would refuse it.
  out.fields.emplace_back("Cache-Control", "public, no-cache");
  co_return out;
}

}  // namespace svc::api
