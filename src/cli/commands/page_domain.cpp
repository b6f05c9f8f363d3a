// The proof that a status page may use a domain.
#include "cli/commands/status_pages.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column proof_details[] = {{"Verified", "verified", cell::boolean}, {"Found", "found", cell::list}};

/// Says which record is missing.
void explain_missing_proof(context& cx, std::string const& page_target) {
  auto const page = object_of(cx.client().send({.method = "GET", .target = page_target}).body);
  auto const* const name = member_of(page, "domain.txtName");
  auto const* const value = member_of(page, "domain.txtValue");
  if (name == nullptr || value == nullptr || !name->is_string() || !value->is_string()) return;
  cx.console.note("Add the TXT record " + std::string(name->get_string()) + " with the value " +
                  std::string(value->get_string()) + ", then run this again.");
}

exit_code verify_domain(context& cx, std::string const& given) {
  auto const page = target_of(cx, page_resource(), given);
  auto const answer = cx.client().send({.method = "POST", .target = page + "/verify-domain"}).body;
  show_answer(cx.console, answer, proof_details, {}, "verified");
  auto const proof = object_of(answer);
  auto const* const verified = member_of(proof, "verified");
  if (verified != nullptr && *verified == true) return exit_code::ok;
  explain_missing_proof(cx, page);
  return exit_code::refused;
}

}  // namespace

void add_verify_domain(CLI::App& page, context& cx) {
  auto const given = std::make_shared<std::string>();
  auto* const verify = add_command(page, cx, "verify-domain", "Prove that a page may use its domain; exit 1 if not",
                                   page_resource().example, [&cx, given] { return verify_domain(cx, *given); });
  add_target(*verify, page_resource(), *given);
}

}  // namespace svc::cli
