#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::runner {

/// Replaces secrets in a stream of bytes by `***`, wherever the stream was cut. What several secrets cover together
/// is one `***`, so that no rest of one shows beside another. Holds back only what may be the beginning of a secret.
/// A value of one stream.
class masker {
 public:
  /// A secret of several lines is also masked line by line, because programs often join or trim lines. Empty ones
  /// mask nothing.
  explicit masker(std::vector<std::string> const& secrets);

  /// What can be shown now that these bytes came.
  std::string feed(std::string_view bytes);
  /// The rest: the stream has ended.
  std::string finish();

  static constexpr std::string_view mask = "***";

 private:
  std::string take(bool all);
  /// Where the last bytes may begin a secret; the end if nowhere.
  std::size_t open_beginning() const;

  std::vector<std::string> secrets_;
  std::size_t longest_ = 0;
  std::string held_{};
  std::size_t masked_ = 0;  ///< the first bytes of `held_`, whose mask is written already
};

}  // namespace svc::runner
