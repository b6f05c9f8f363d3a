#include "cli/http/client.hpp"

#include "cli/console/failure.hpp"

#include <boost/json/parse.hpp>

#include <curl/curl.h>

namespace svc::cli {

total_deadline::total_deadline(std::optional<std::chrono::milliseconds> from_now) {
  if (from_now) at_ = std::chrono::steady_clock::now() + *from_now;
}

std::chrono::milliseconds total_deadline::left() const {
  if (!at_) return std::chrono::hours(1);
  return std::chrono::duration_cast<std::chrono::milliseconds>(*at_ - std::chrono::steady_clock::now());
}

class client::implementation {
 public:
  implementation(settings const& with, console& to)
      : with(with), to(to), deadline(with.timeout), curl(curl_easy_init()) {}
  ~implementation() { curl_easy_cleanup(curl); }

  settings const& with;
  console& to;
  total_deadline deadline;
  CURL* curl;
};

namespace {

std::size_t take_body(char const* data, std::size_t size, std::size_t count, void* to) {
  static_cast<std::string*>(to)->append(data, size * count);
  return size * count;
}

}  // namespace

client::client(settings const& with, console& to) : self_(std::make_unique<implementation>(with, to)) {}
client::~client() = default;

total_deadline const& client::deadline() const {
  return self_->deadline;
}
settings const& client::with() const {
  return self_->with;
}

answer client::send_any(request const& r) {
  auto* const curl = self_->curl;
  answer out;
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_URL, (self_->with.url.text + r.target).c_str());
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, r.method.c_str());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &out.body);
  if (!self_->with.ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, self_->with.ca_file.c_str());
  curl_slist* fields = nullptr;
  if (r.body) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(r.body->size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, r.body->data());
    fields = curl_slist_append(fields, "Content-Type: application/json");
  }
  if (self_->with.token)
    fields = curl_slist_append(fields, ("Authorization: Bearer " + std::string(self_->with.token->reveal())).c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fields);
  auto const rc = curl_easy_perform(curl);
  curl_slist_free_all(fields);
  if (rc != CURLE_OK) throw failure(exit_code::unreachable, "network", curl_easy_strerror(rc));
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  out.status = static_cast<int>(status);
  return out;
}

answer client::send(request const& r) {
  auto a = send_any(r);
  if (a.status >= 400) throw refusal_of(a);
  return a;
}

boost::json::value client::fetch(request const& r) {
  return boost::json::parse(send(r).body);
}

stream_end client::stream(request const& r, std::function<bool(std::string_view)> const& take,
                          std::function<void()> const& /*idle*/) {
  take(send(r).body);
  return stream_end::complete;
}

failure refusal_of(answer const& a) {
  return {exit_code::refused, "refused", "status " + std::to_string(a.status)};
}

}  // namespace svc::cli
