#include "egress/http/gzip_body.hpp"

#include <algorithm>
#include <array>

namespace svc::egress {

namespace {

/// zlib's windowBits: the largest window, plus 16 to accept only gzip streams.
constexpr int gzip_window = 15 + 16;

}  // namespace

gzip_body::gzip_body(std::size_t most) : most_(most), usable_(inflateInit2(&stream_, gzip_window) == Z_OK) {}

gzip_body::~gzip_body() {
  if (usable_) inflateEnd(&stream_);
}

gzip_body::state gzip_body::take(std::string_view piece, std::string& decoded) {
  if (piece.empty()) return state::reading;
  // No bytes may follow the end of the stream.
  if (!usable_ || ended_) return state::broken;
  encoded_ += piece.size();
  // zlib reads through this pointer and never writes.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  stream_.avail_in = static_cast<uInt>(piece.size());
  std::array<char, 16384> part{};
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(part.data());
    stream_.avail_out = static_cast<uInt>(part.size());
    int const said = inflate(&stream_, Z_NO_FLUSH);
    std::size_t const got = part.size() - stream_.avail_out, room = most_ - decoded.size();
    decoded.append(part.data(), std::min(got, room));
    // Input after enough output does not matter.
    if (got > room) return state::full;
    // Z_BUF_ERROR means that nothing is left to do with this piece.
    if (said != Z_OK && said != Z_STREAM_END && said != Z_BUF_ERROR) return state::broken;
    ended_ = said == Z_STREAM_END;
  } while (!ended_ && stream_.avail_out == 0);
  if (ended_ && stream_.avail_in > 0) return state::broken;
  return encoded_ > most_overhead + most_encoded_per_byte * decoded.size() ? state::broken : state::reading;
}

}  // namespace svc::egress
