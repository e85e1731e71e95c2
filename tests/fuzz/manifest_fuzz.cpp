// SPDX-License-Identifier: MIT
//
// The manifest of a checkpoint. What is accepted is exactly what would be written.
#include "fuzz/fuzz.h"

#include "tarl/store/checkpoint_manifest.h"

using namespace tarl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  fuzz::may_refuse("manifest.json", [&] {
    const store::Manifest manifest = store::decode_manifest(text, "manifest.json");
    require(store::encode_manifest(manifest) == text, "a manifest has two spellings");
  });
  return 0;
}
