// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// @dev The part of USDC that our contracts call.
interface IToken {
  function balanceOf(address account) external view returns (uint256);
  function transfer(address to, uint256 value) external returns (bool);
  function transferFrom(address from, address to, uint256 value) external returns (bool);
  function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;
  function receiveWithAuthorization(
    address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
    bytes calldata signature
  ) external;
}

/// @title The part of Permit2 that x402 uses: one signed transfer that also binds a witness.
interface ISignatureTransfer {
  struct TokenPermissions {
    address token;
    uint256 amount;
  }

  /// @dev What the owner signs, together with the spender (the caller) and the witness.
  struct PermitTransferFrom {
    TokenPermissions permitted;
    uint256 nonce;
    uint256 deadline;
  }

  /// @dev What the spender asks for: at most the permitted amount.
  struct SignatureTransferDetails {
    address to;
    uint256 requestedAmount;
  }

  function permitWitnessTransferFrom(
    PermitTransferFrom calldata permit,
    SignatureTransferDetails calldata transferDetails,
    address owner,
    bytes32 witness,
    string calldata witnessTypeString,
    bytes calldata signature
  ) external;
}
