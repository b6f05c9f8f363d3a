#include "cli/http/transport.hpp"

#include "cli/console/failure.hpp"
#include "cli/console/interrupt.hpp"
#include "cli/http/curl_options.hpp"
#include "cli/http/proxy.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/received_codings.hpp"

#include <array>
#include <utility>

namespace svc::cli {
namespace {

using steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// The time between two checks for interruption, deadlines and idleness.
constexpr int look_ms = 50;

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_connect_failure(CURLcode c) {
  return c == CURLE_COULDNT_CONNECT || c == CURLE_OPERATION_TIMEDOUT || c == CURLE_RECV_ERROR ||
         c == CURLE_SEND_ERROR || c == CURLE_GOT_NOTHING;
}

/// Returns the trouble for failures that only happen before a request is sent.
trouble trouble_of_connecting(CURLcode c, bool through_proxy) {
  switch (c) {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return trouble::unknown_proxy;
    case CURLE_COULDNT_RESOLVE_HOST:
      return trouble::unknown_host;
    case CURLE_OPERATION_TIMEDOUT:
      return trouble::connect_timeout;
    case CURLE_PEER_FAILED_VERIFICATION:
      return trouble::certificate;
    case CURLE_SSL_CACERT_BADFILE:
      return trouble::bad_ca_file;
    case CURLE_PROXY:
      return trouble::proxy_refused;
    case CURLE_COULDNT_CONNECT:
      return trouble::not_connected;
    case CURLE_SSL_CONNECT_ERROR:
      return trouble::tls;
    default:
      return is_connect_failure(c) && !through_proxy ? trouble::not_connected : trouble::tls;
  }
}

trouble trouble_of_answer(CURLcode c) {
  switch (c) {
    case CURLE_OK:
      return trouble::none;
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_PARTIAL_FILE:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_ABORTED_BY_CALLBACK:
      return trouble::broken;
    default:
      return trouble::malformed;
  }
}

}  // namespace

/// One transfer: the state of libcurl's callbacks, and the loop around the transfer.
class transport::exchange {
 public:
  exchange(transport& over, time_limits const& within, body_reader const& reader)
      : easy_(over.easy_),
        multi_(over.multi_),
        within_(within),
        reader_(reader),
        through_proxy_(!over.proxy_.empty()) {}
  /// The destructor removes the callbacks and buffers of this transfer from the handle, which keeps its connection.
  ~exchange() {
    curl_multi_remove_handle(multi_, easy_);
    curl_easy_reset(easy_);
  }
  exchange(exchange const&) = delete;
  exchange& operator=(exchange const&) = delete;

  attempt run();

 private:
  static std::size_t on_head(char const* data, std::size_t /*one*/, std::size_t size, void* self) {
    return static_cast<exchange*>(self)->take_line({data, size}) ? size : CURL_WRITEFUNC_ERROR;
  }
  static std::size_t on_body(char const* data, std::size_t /*one*/, std::size_t size, void* self) {
    return static_cast<exchange*>(self)->take_piece({data, size}) ? size : CURL_WRITEFUNC_ERROR;
  }
  static int on_ready(void* self, char* /*to*/, char* /*from*/, int /*port*/, int /*ours*/) {
    return static_cast<exchange*>(self)->may_send() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
  }

  void set_callbacks();
  bool take_line(std::string_view line);
  bool take_piece(std::string_view piece);
  /// Returns true once. libcurl would repeat a request by itself when a kept connection turns out to be closed, but
  /// only the policy decides on a repetition.
  bool may_send() { return !std::exchange(out_.sent, true); }
  bool give(trouble trouble) { return out_.content = trouble, false; }

  bool handed_on();
  trouble reason_to_stop();
  bool moved();
  std::optional<CURLcode> finished();
  void settle(CURLcode code);

  CURL* easy_;
  CURLM* multi_;
  time_limits const& within_;
  body_reader const& reader_;
  bool through_proxy_;
  attempt out_;
  std::array<char, CURL_ERROR_SIZE> words_{};
  std::string pieces_;  ///< data for the reader, until libcurl's frames are left
  /// The codings of all heads of this transfer: libcurl keeps the decoders that an interim answer names.
  received_codings codings_;
  std::size_t head_size_ = 0, received_ = 0;
  curl_off_t sent_size_ = 0;
  std::size_t seen_ = 0;
  steady::time_point began_ = steady::now(), moved_ = began_;
};

void transport::exchange::set_callbacks() {
  require_option(curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &exchange::on_head));
  require_option(curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this));
  require_option(curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &exchange::on_body));
  require_option(curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this));
  require_option(curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, &exchange::on_ready));
  require_option(curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this));
  require_option(curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, words_.data()));
  require_option(curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(within_.connect.count())));
}

bool transport::exchange::take_line(std::string_view line) {
  received_ += line.size();
  head_size_ += line.size();
  if (head_size_ > most_of_a_head) return give(trouble::head_too_large);
  if (line.starts_with("HTTP/")) {  // the status line of the answer, or of an interim answer before it
    out_.got.fields.clear();
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    out_.got.status = static_cast<int>(status);
    return true;
  }
  auto const colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  auto const& field =
      out_.got.fields.emplace_back(lower_case(trimmed(line.substr(0, colon))), trimmed(line.substr(colon + 1)));
  codings_.add(field.first, field.second);
  if (codings_.transfer_supported() && codings_.content_supported()) return true;
  out_.detail = "it has a coding other than a single gzip and chunked";
  return give(trouble::malformed);
}

bool transport::exchange::take_piece(std::string_view piece) {
  received_ += piece.size();
  bool const collected = !reader_.take || out_.got.status >= 300;
  auto& out = collected ? out_.got.body : pieces_;
  if (collected && out.size() + piece.size() > most_of_a_body) return give(trouble::body_too_large);
  out.append(piece);
  return true;
}

bool transport::exchange::handed_on() {
  if (pieces_.empty()) return true;
  auto const piece = std::exchange(pieces_, {});
  return reader_.take(piece);
}

bool transport::exchange::moved() {
  curl_off_t sent = 0;
  curl_easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &sent);
  bool const news = sent != sent_size_ || received_ != seen_ || !out_.sent;
  sent_size_ = sent;
  seen_ = received_;
  return news;
}

trouble transport::exchange::reason_to_stop() {
  if (interrupted()) return trouble::interrupted;
  auto const now = steady::now();
  if (within_.deadline && now >= *within_.deadline) return trouble::deadline;
  if (moved()) moved_ = now;
  if (now - moved_ >= within_.silence) return trouble::silent;
  return now - began_ >= within_.whole ? trouble::too_slow : trouble::none;
}

std::optional<CURLcode> transport::exchange::finished() {
  int left = 0;
  while (auto const* const message = curl_multi_info_read(multi_, &left))
    if (message->msg == CURLMSG_DONE) return message->data.result;
  return std::nullopt;
}

/// Converts libcurl's code; a callback may already have set the reason.
void transport::exchange::settle(CURLcode code) {
  long connect_status = 0;
  curl_easy_getinfo(easy_, CURLINFO_HTTP_CONNECTCODE, &connect_status);
  out_.proxy_status = static_cast<int>(connect_status);
  bool const refused_by_proxy = !out_.sent && connect_status >= 300;
  // tinyproxy answers 401 to wrong credentials.
  if (out_.got.status == 407 || (refused_by_proxy && (connect_status == 407 || connect_status == 401))) {
    out_.content = trouble::proxy_authentication;
  } else if (refused_by_proxy) {
    out_.content = trouble::proxy_refused;
  } else if (out_.content == trouble::none) {
    out_.content =
        out_.sent || code == CURLE_OK ? trouble_of_answer(code) : trouble_of_connecting(code, through_proxy_);
  }
  bool const about_tls = out_.content == trouble::certificate || out_.content == trouble::tls;
  if (out_.detail.empty() && (about_tls || out_.content == trouble::malformed))
    out_.detail = words_[0] != '\0' ? words_.data() : curl_easy_strerror(code);
}

attempt transport::exchange::run() {
  set_callbacks();
  curl_multi_add_handle(multi_, easy_);
  for (;;) {
    int running = 0;
    curl_multi_perform(multi_, &running);
    auto const code = finished();
    if (!handed_on()) out_.content = trouble::stopped;
    if (code) settle(*code);
    auto const stop = code || out_.content != trouble::none ? out_.content : reason_to_stop();
    if (code || stop != trouble::none) {
      out_.content = stop;
      break;
    }
    if (reader_.idle) reader_.idle();
    curl_multi_poll(multi_, nullptr, 0, look_ms, nullptr);
  }
  out_.took = std::chrono::duration_cast<milliseconds>(steady::now() - began_);
  return std::move(out_);
}

transport::transport(settings const& settings)
    : settings_(settings),
      proxy_(proxy_for(settings.url, settings.proxies)),
      multi_(curl_multi_init()),
      easy_(curl_easy_init()) {}

transport::~transport() {
  curl_easy_cleanup(easy_);
  curl_multi_cleanup(multi_);
}

attempt transport::perform(request const& r, secret_string const* bearer, time_limits const& within,
                           body_reader const& reader) {
  if (bearer != nullptr) require_safe_way(settings_.url, proxy_);
  if (!proxy_.empty() && !proxy_address::parse(proxy_)) return {.content = trouble::bad_proxy};
  field_list fields;
  set_rules(easy_, settings_);
  set_proxy(easy_, proxy_);
  set_request(easy_, settings_, r, bearer, fields);
  return exchange(*this, within, reader).run();
}

}  // namespace svc::cli
