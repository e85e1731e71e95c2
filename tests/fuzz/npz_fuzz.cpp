// SPDX-License-Identifier: MIT
//
// An .npz archive. What is accepted survives being written and read again, as it is and compressed.
#include "fuzz/fuzz.h"

#include "tarl/core/formats/npz.h"

using namespace tarl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse("evaluations.npz", [&] {
    const auto arrays = decode_npz(fuzz::bytes_of(data, size), "evaluations.npz");
    for (const Packing packing : {Packing::kStored, Packing::kDeflated}) {
      const auto again = decode_npz(encode_npz(arrays, packing), "again");
      require(again.size() == arrays.size(), "arrays are lost");
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        require(again[i].second.bytes == arrays[i].second.bytes, "an array changes");
      }
    }
  });
  return 0;
}
