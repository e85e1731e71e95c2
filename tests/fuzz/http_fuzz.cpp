// SPDX-License-Identifier: MIT
//
// The head of an HTTP request, whole and as its first part: an answer once given stays.
#include "fuzz/fuzz.h"

#include "tarl/serve/http.h"

using namespace tarl;
using State = serve::ParsedRequest::State;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::text_of(data, size);
  const serve::ParsedRequest whole = serve::parse_request(bytes, 8080);
  if (whole.state == State::kGood) {
    require(whole.request.path.starts_with('/'), "a path that does not start at the root");
    require(whole.request.path.find_first_of("\r\n") == std::string::npos, "a path of two lines");
    require(whole.request.path.find('\0') == std::string::npos, "a path with a NUL");
  }
  if (whole.state == State::kRefused) require(whole.status >= 400, "refused with a good status");
  const serve::ParsedRequest part = serve::parse_request(bytes.substr(0, size / 2), 8080);
  if (part.state == State::kGood) {
    require(whole.state == State::kGood && whole.request.path == part.request.path,
            "more bytes change a good request");
  }
  return 0;
}
