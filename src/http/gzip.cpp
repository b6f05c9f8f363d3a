#include "svc/http/gzip.hpp"

#include <zlib.h>

#include <array>
#include <new>
#include <stdexcept>

namespace svc::http {

struct gzip_encoder::stream {
  z_stream z{};
};

gzip_encoder::gzip_encoder(int level) : stream_(std::make_unique<stream>()) {
  constexpr int gzip_format = 15 + 16;
  constexpr int usual_memory = 8;
  if (deflateInit2(&stream_->z, level, Z_DEFLATED, gzip_format, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

gzip_encoder::~gzip_encoder() {
  deflateEnd(&stream_->z);
}

void gzip_encoder::run(std::string_view piece, int flush) {
  auto& z = stream_->z;
  // zlib reads through this pointer and never writes.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  z.avail_in = static_cast<uInt>(piece.size());
  std::array<char, 16384> block;
  do {
    z.next_out = reinterpret_cast<Bytef*>(block.data());
    z.avail_out = static_cast<uInt>(block.size());
    if (deflate(&z, flush) == Z_STREAM_ERROR) throw std::logic_error("gzip: the stream was finished before");
    out_.append(block.data(), block.size() - z.avail_out);
  } while (z.avail_out == 0);
}

void gzip_encoder::add(std::string_view piece) {
  run(piece, Z_NO_FLUSH);
}

std::string gzip_encoder::finish() {
  run({}, Z_FINISH);
  return std::move(out_);
}

std::string gzip(std::string_view text, int level) {
  gzip_encoder one(level);
  one.add(text);
  return one.finish();
}

}  // namespace svc::http
