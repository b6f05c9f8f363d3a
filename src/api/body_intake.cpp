#include "svc/api/body_intake.hpp"

#include "svc/api/request_steps.hpp"
#include "svc/core/turns.hpp"
#include "svc/http/headers.hpp"

#include <utility>

namespace svc::api {
namespace {

/// Checks the header fields about the content, before any of it is received.
result<> check_announced(http::operation const& op, http::request const& head) {
  // A proxy in between may have gone by the other one.
  if (head.count("Content-Type") > 1)
    return error(errc::malformed_request, "The request has more than one Content-Type header.");
  // An operation that takes no body says so later, whatever the coding is.
  if (op.body_limit > 0 && !http::is_plain_content(head)) return errc::unsupported_content_coding;
  return {};
}

}  // namespace

task<result<taken_body>> body_intake::take(http::operation const& op, http::request const& head,
                                           http::body_source& body, uuid user) {
  taken_body out{.share = {budget_, user}};
  if (!head.has_body) {
    if (op.body_required) co_return error(errc::validation_failed, "This operation needs a JSON body.");
    co_return std::move(out);
  }
  if (auto const fine = check_announced(op, head); !fine) co_return fine.error();
  auto text = co_await receive(op, body, user);
  if (!text) co_return text.error();
  if (text->empty() && !op.body_required) co_return std::move(out);
  if (op.body_limit == 0) co_return error(errc::validation_failed, "This operation takes no body.");
  if (op.any_media) {
    taken_body taken{.value = boost::json::string(text->joined()), .share = text->take_share()};
    co_return std::move(taken);
  }
  if (!http::is_json_media_type(head.find("Content-Type").value_or(""))) co_return errc::unsupported_media_type;
  taken_body taken{.share = text->take_share()};
  auto value = co_await read(op, std::move(*text));
  if (!value) co_return value.error();
  taken.value = std::move(*value);
  co_return std::move(taken);
}

task<result<http::body_text>> body_intake::receive(http::operation const& op, http::body_source& body, uuid user) {
  in_flight_guard const counted(receiving_);
  co_return co_await body.read(op.body_limit, {budget_, user});
}

task<result<boost::json::value>> body_intake::read(http::operation const& op, http::body_text text) {
  bool const large = text.pieces() > 1;
  http::json_reader reader(most_values_, validator_->shape(op), text.size());
  while (text.pieces() > 1 && reader.feed(text.front())) {
    bool const whole = text.front().size() == http::body_text::piece_size;
    text.drop();
    if (whole) co_await others_turn();
  }
  auto value = reader.finish(text.front());
  if (!value) co_return value.error();
  // The value of a large body is large too: checking it and handling it each get a turn of their own.
  if (large) co_await others_turn();
  if (auto const checked = validator_->check(op, *value); !checked) co_return checked.error();
  if (large) co_await others_turn();
  co_return std::move(*value);
}

}  // namespace svc::api
