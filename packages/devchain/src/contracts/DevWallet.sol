// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { SignatureCheck } from "./SignatureCheck.sol";

/// @title The smallest contract wallet: what its owner signed, it signed (EIP-1271).
contract DevWallet {
  bytes4 private constant EIP_1271_MAGIC = 0x1626ba7e;
  bytes4 private constant REFUSED = 0xffffffff;

  address public owner;

  constructor(address owner_) {
    owner = owner_;
  }

  function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
    return SignatureCheck.isValid(owner, digest, signature) ? EIP_1271_MAGIC : REFUSED;
  }
}
