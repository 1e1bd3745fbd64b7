// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

interface IContractWallet {
  /// @dev EIP-1271: answers 0x1626ba7e when the wallet accepts the signature.
  function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}

/// @title Whether a wallet signed a digest, with the refusals of USDC on Base (FiatTokenV2_2).
/// @dev A wallet without code answers by its key, a wallet with code (also EIP-7702) by EIP-1271.
library SignatureCheck {
  bytes4 private constant EIP_1271_MAGIC = 0x1626ba7e;

  /// @dev Half of the order of secp256k1. Above it lies the twin of every signature (EIP-2).
  uint256 private constant HIGHEST_S = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

  function isValid(address signer, bytes32 digest, bytes memory signature) internal view returns (bool) {
    if (signer.code.length == 0) return recover(digest, signature) == signer;
    try IContractWallet(signer).isValidSignature(digest, signature) returns (bytes4 answer) {
      return answer == EIP_1271_MAGIC;
    } catch {
      return false;
    }
  }

  function recover(bytes32 digest, bytes memory signature) internal pure returns (address signer) {
    require(signature.length == 65, "ECRecover: invalid signature length");
    bytes32 r;
    bytes32 s;
    uint8 v;
    assembly {
      r := mload(add(signature, 0x20))
      s := mload(add(signature, 0x40))
      v := byte(0, mload(add(signature, 0x60)))
    }
    require(uint256(s) <= HIGHEST_S, "ECRecover: invalid signature 's' value");
    require(v == 27 || v == 28, "ECRecover: invalid signature 'v' value");
    signer = ecrecover(digest, v, r, s);
    require(signer != address(0), "ECRecover: invalid signature");
  }
}
