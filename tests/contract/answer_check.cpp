#include "contract/answer_check.hpp"

#include "svc/http/error_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace svc::test {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 5> limit_headers{"X-RateLimit-Limit", "X-RateLimit-Remaining",
                                                        "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit"};

/// Declared for a status, but carried only by some of its answers.
bool is_conditional(std::string_view name) {
  return name == "Retry-After" || name == "Idempotent-Replayed" || name == "Accept-Encoding";
}

bool is_limit_header(std::string_view name) {
  return std::find(limit_headers.begin(), limit_headers.end(), name) != limit_headers.end();
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Compares one answer with one declared response, and collects complaints.
class examination {
 public:
  examination(served_contract& contract, http::operation const& op, attempt const& attempt)
      : contract_(contract), op_(op), attempt_(attempt) {}

  void expect(bool right, std::string_view complaint) {
    if (!right) complaints_.append(complaint).append("\n");
  }

  std::string take() { return std::move(complaints_); }

  json::object const& declared(std::string_view code) {
    auto const* const response = contract_.response(op_, static_cast<unsigned>(attempt_.got.status));
    if (response != nullptr) return *response;
    expect(contract_.is_common(code), "the status is not declared and the code is not common");
    return contract_.default_response(op_);
  }

  void check_headers(json::object const& response) {
    auto const* const headers = response.if_contains("headers");
    for (auto const& [name, value] : headers == nullptr ? json::object() : headers->as_object()) {
      if (!is_limit_header(name)) check_header(name, value);
    }
    for (auto const name : limit_headers) {
      expect(attempt_.got.header(name).has_value() == attempt_.counted,
             std::string(name) + (attempt_.counted ? " is missing" : " is there, although nothing was counted"));
    }
    if (attempt_.counted && attempt_.got.header("RateLimit")) check_limit();
  }

  void check_body(json::object const& response) {
    auto const* const content = response.if_contains("content");
    if (content == nullptr) return expect(attempt_.got.body.empty(), "a body is not declared");
    auto const type = attempt_.got.header("Content-Type").value_or("");
    auto const* const media = content->as_object().if_contains(type.substr(0, type.find(';')));
    if (media == nullptr) return expect(false, "the content type is not declared: " + type);
    json::value body(attempt_.got.body);
    json::error_code failed;
    if (type.ends_with("/json") || type.ends_with("+json")) body = json::parse(attempt_.got.body, failed);
    if (failed) return expect(false, "the body is no JSON");
    complaints_ += contract_.faults(media->at("schema"), body);
    if (body.is_object()) body_ = body.get_object();
  }

  json::object const& body() const { return body_; }
  std::string text(std::string_view member) const {
    auto const* const value = body_.if_contains(member);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
  }

 private:
  void check_header(std::string_view name, json::value const& declared) {
    auto const value = attempt_.got.header(name);
    if (!value && is_conditional(name)) return;
    if (!value) return expect(false, "the declared header " + std::string(name) + " is missing");
    auto const& schema = contract_.resolve(declared).at("schema");
    bool const integer = schema.at("type") == json::value("integer");
    auto const as_number = number(*value);
    if (integer && !as_number) return expect(false, std::string(name) + " is no integer: " + *value);
    complaints_ += contract_.faults(schema, integer ? json::value(*as_number) : json::value(*value));
  }

  /// Both families of headers describe the same decision.
  void check_limit() {
    auto const policy = attempt_.got.header("RateLimit-Policy").value_or("");
    auto const limit = std::to_string(attempt_.got.number("X-RateLimit-Limit"));
    auto const remaining = std::to_string(attempt_.got.number("X-RateLimit-Remaining"));
    expect(policy.find(";q=" + limit + ";w=") != policy.npos, "RateLimit-Policy contradicts X-RateLimit-Limit");
    expect(attempt_.got.header("RateLimit")->find(";r=" + remaining + ";t=") != std::string::npos,
           "RateLimit contradicts X-RateLimit-Remaining");
    expect(attempt_.got.number("X-RateLimit-Reset") > 1'500'000'000, "X-RateLimit-Reset is no Unix time");
    auto const which = policy.substr(0, policy.find(';'));
    expect(which == "\"" + op_.rate_class + "\"" || which == "\"cli\"" || which == "\"anonymous\"" ||
               which == "\"refused\"" || which == "\"project\"" || which == "\"runner\"" || which == "\"session\"",
           "another class counted: " + which);
  }

  served_contract& contract_;
  http::operation const& op_;
  attempt const& attempt_;
  json::object body_;
  std::string complaints_;
};

bool names_pointer(json::object const& body, std::string_view pointer) {
  auto const* const details = body.if_contains("details");
  if (details == nullptr) return false;
  auto const& list = details->as_array();
  return std::any_of(list.begin(), list.end(), [&](json::value const& d) {
    return std::string_view(d.at("field").as_string()).starts_with(pointer);
  });
}

std::string quoted(support::answer const& got) {
  return "  in: " + std::to_string(got.status) + " " + got.body.substr(0, 600) + "\n";
}

}  // namespace

std::string check_error(served_contract& contract, http::operation const& op, attempt const& attempt,
                        std::string_view code) {
  examination exam(contract, op, attempt);
  auto const status = http::row_of(http::errc_of(code).value()).status;
  exam.expect(static_cast<unsigned>(attempt.got.status) == status, "the status is not " + std::to_string(status));
  auto const& response = exam.declared(code);
  exam.check_headers(response);
  exam.check_body(response);
  exam.expect(exam.text("code") == code, "the code is not " + std::string(code));
  exam.expect(!exam.text("error").empty(), "the sentence is empty");
  exam.expect(exam.text("requestId") == attempt.got.header("X-Request-Id"), "requestId is not X-Request-Id");
  exam.expect(attempt.pointer.empty() || names_pointer(exam.body(), attempt.pointer),
              "details do not name " + attempt.pointer);

  auto const challenge = attempt.got.header("WWW-Authenticate");
  exam.expect(challenge.has_value() == (status == 401), "WWW-Authenticate belongs to 401, always and only");
  if (challenge) {
    bool const anonymous = code == "token_required";
    exam.expect(challenge->starts_with("Bearer "), "the challenge is not Bearer");
    exam.expect((challenge->find("error=\"invalid_token\"") == challenge->npos) == anonymous,
                "error= belongs to a credential that was presented");
  }
  bool const come_back = status == 429 || status == 503 || code == "idempotency_in_progress" || code == "queue_full";
  auto const retry = number(attempt.got.header("Retry-After").value_or("0"));
  exam.expect(come_back == (retry.value_or(0) >= 1),
              "Retry-After of a second or more belongs to what passes by itself");
  exam.expect(attempt.got.header("Accept-Encoding").has_value() == (code == "unsupported_content_coding"),
              "Accept-Encoding belongs to the coding of a body");
  auto const allow = attempt.got.header("Allow");
  exam.expect(allow.has_value() == (status == 405), "Allow belongs to 405");
  for (auto const& method : allow ? contract.methods(op) : std::vector<std::string>())
    exam.expect((", " + *allow + ",").find(" " + method + ",") != std::string::npos, "Allow lacks " + method);
  auto out = exam.take();
  return out.empty() ? out : out + quoted(attempt.got);
}

std::string check_success(served_contract& contract, http::operation const& op, attempt const& attempt,
                          unsigned status) {
  examination exam(contract, op, attempt);
  exam.expect(static_cast<unsigned>(attempt.got.status) == status, "the status is not " + std::to_string(status));
  exam.expect(contract.response(op, status) != nullptr, "the status is not declared");
  auto const& response = exam.declared("");
  exam.check_headers(response);
  exam.check_body(response);
  for (auto const* name : {"WWW-Authenticate", "Retry-After", "Allow"})
    exam.expect(!attempt.got.header(name), std::string(name) + " belongs to errors");
  // The document itself shows an invented one.
  bool const secret = !op.token_kinds.empty() && attempt.got.body.find("\"key\":\"svc_") != std::string::npos;
  exam.expect(!secret || attempt.got.header("Cache-Control") == "no-store", "a secret must not be stored by caches");
  auto out = exam.take();
  return out.empty() ? out : out + quoted(attempt.got);
}

}  // namespace svc::test
