// SPDX-License-Identifier: MIT
//
// A safetensors file. What is accepted survives being written and read again.
#include "fuzz/fuzz.h"

#include "tarl/core/formats/safetensors.h"

using namespace tarl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse("model.safetensors", [&] {
    const SafetensorsFile file =
        decode_safetensors(fuzz::bytes_of(data, size), "model.safetensors");
    const SafetensorsFile again = decode_safetensors(encode_safetensors(file), "again");
    require(again.tensors.size() == file.tensors.size(), "tensors are lost");
    for (const auto& [name, tensor] : file.tensors) {
      require(again.tensors.at(name).bytes == tensor.bytes, "a tensor changes");
    }
  });
  return 0;
}
