#pragma once

#include "api/output_text.hpp"
#include "svc/http/message.hpp"

#include <memory>
#include <string>
#include <utility>

namespace svc::api {

/// Shows a large stored output piece by piece, as its client reads it. All readers of a run share the stored text, so
/// that each of them holds only the piece that it is being sent. Worker-local.
class output_body final : public http::body_stream {
 public:
  /// Bytes of stored text that are shown in one piece.
  static constexpr std::size_t piece_size = 32UL * 1024;

  output_body(std::shared_ptr<std::string const> stored, output_form form)
      : stored_(std::move(stored)), printer_(*stored_, form) {}

  bool finite() const override { return true; }
  void start(std::function<void()> /*wake*/) override {}
  piece next() override {
    auto shown = std::make_shared<std::string>();
    bool more = true;
    // Events that are no lines show nothing, and an empty piece would mean that there is nothing to send now.
    while (more && shown->empty()) more = printer_.step(*shown, piece_size);
    return {.bytes = *shown, .keep = shown, .last = !more};
  }
  steady::time_point due() const override { return steady::time_point::max(); }
  void drain() override {}
  void stop() override {}

 private:
  std::shared_ptr<std::string const> stored_;
  output_printer printer_;
};

}  // namespace svc::api
