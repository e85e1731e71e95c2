// SPDX-License-Identifier: MIT
//
// Pieces of C++ for header.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tarl/deploy/policy_network.h"

namespace tarl::deploy {

// The functions that layers, convolutions and normalisation are made of.
extern const std::string_view kLayerCode, kConvolutionCode, kNormalizeCode;

// A name that C++ leaves to programs, or several with "::" between.
bool is_namespace(std::string_view name);

// Makes text from an untrusted file safe in a comment: nothing in it can end the comment.
std::string plain(std::string text);

// The name of a layer's constants: kFc1 of q.fc1.
std::string constant_name(const Linear& layer);
std::string constant_name(const Convolution& layer);

// A float as a C++ literal.
std::string literal(float value);

// Definitions of constant arrays as bit patterns: exact, and quick to compile. Weights of a linear
// layer are transposed to [in][out].
void append_array(std::string& out, const std::string& name, std::span<const float> values);
void append_array(std::string& out, const std::string& name, std::span<const double> values);
void append_layer(std::string& out, const Linear& layer);
void append_layer(std::string& out, const Convolution& layer);

}  // namespace tarl::deploy
