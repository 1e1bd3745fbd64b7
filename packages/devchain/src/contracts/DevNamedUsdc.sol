// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { DevUsdc } from "./DevUsdc.sol";

/// @title The token of a network other than Base: DevUsdc with the EIP-712 name and version of its storage.
/// @dev Genesis writes both slots; each text has at most 31 bytes, so that it fits one.
contract DevNamedUsdc is DevUsdc {
  string private storedName;
  string private storedVersion;

  function name() public view override returns (string memory) {
    return storedName;
  }

  function version() public view override returns (string memory) {
    return storedVersion;
  }
}
