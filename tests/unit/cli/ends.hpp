#pragma once

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace svc::test {

/// Two pipes in place of the program's stdout and stderr.
class ends {
 public:
  ends() {
    REQUIRE(::pipe2(out_, O_NONBLOCK) == 0);
    REQUIRE(::pipe2(err_, O_NONBLOCK) == 0);
  }
  ~ends() {
    for (int const fd : {out_[0], out_[1], err_[0], err_[1]})
      if (fd >= 0) ::close(fd);
  }
  ends(ends const&) = delete;
  ends& operator=(ends const&) = delete;

  int out() const { return out_[1]; }
  int err() const { return err_[1]; }
  std::string written_out() const { return all(out_[0]); }
  std::string written_err() const { return all(err_[0]); }
  void close_reader() {
    ::close(out_[0]);
    out_[0] = -1;
  }

 private:
  static std::string all(int first) {
    std::string text(1 << 16, '\0');
    auto const got = ::read(first, text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }

  int out_[2]{}, err_[2]{};
};

}  // namespace svc::test
