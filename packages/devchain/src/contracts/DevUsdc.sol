// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { SignatureCheck } from "./SignatureCheck.sol";

/// @title What x402 needs of USDC on Base: ERC-20, EIP-3009, EIP-2612, EIP-1271 payers.
/// @notice Behaves and refuses as FiatTokenV2_2 (0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 on Base).
///   Left out: minters, pausing, blacklist, upgrades. Added: anyone may mint.
/// @dev No constructor and no immutables, so the runtime code works at whatever address it is put.
contract DevUsdc {
  string public constant symbol = "USDC";
  uint8 public constant decimals = 6;

  bytes32 private constant DOMAIN_TYPEHASH =
    keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
  bytes32 public constant PERMIT_TYPEHASH =
    keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
  bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH =
    keccak256("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)");
  bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH =
    keccak256("ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)");
  bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
    keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

  /// @dev An EIP-3009 authorization in the order in which it is signed.
  struct Authorization {
    address from;
    address to;
    uint256 value;
    uint256 validAfter;
    uint256 validBefore;
    bytes32 nonce;
  }

  uint256 public totalSupply;
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;
  /// @notice EIP-2612: the nonce of the owner's next permit.
  mapping(address => uint256) public nonces;
  /// @notice EIP-3009: true once the authorization was used or cancelled.
  mapping(address => mapping(bytes32 => bool)) public authorizationState;

  event Transfer(address indexed from, address indexed to, uint256 value);
  event Approval(address indexed owner, address indexed spender, uint256 value);
  event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
  event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

  /// @notice Makes money from nothing. Only on the dev chain.
  function mint(address to, uint256 value) external {
    totalSupply += value;
    balanceOf[to] += value;
    emit Transfer(address(0), to, value);
  }

  function name() public view virtual returns (string memory) {
    return "USD Coin";
  }

  function version() public view virtual returns (string memory) {
    return "2";
  }

  // ERC-20

  function transfer(address to, uint256 value) external returns (bool) {
    move(msg.sender, to, value);
    return true;
  }

  function transferFrom(address from, address to, uint256 value) external returns (bool) {
    uint256 allowed = allowance[from][msg.sender];
    require(value <= allowed, "ERC20: transfer amount exceeds allowance");
    if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
    move(from, to, value);
    return true;
  }

  function approve(address spender, uint256 value) external returns (bool) {
    allow(msg.sender, spender, value);
    return true;
  }

  // EIP-2612

  function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
    permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
  }

  function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature) public {
    require(deadline == type(uint256).max || deadline >= block.timestamp, "FiatTokenV2: permit is expired");
    bytes32 what = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonces[owner]++, deadline));
    require(SignatureCheck.isValid(owner, toDigest(what), signature), "EIP2612: invalid signature");
    allow(owner, spender, value);
  }

  // EIP-3009

  function transferWithAuthorization(
    address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
    uint8 v, bytes32 r, bytes32 s
  ) external {
    Authorization memory authorization = Authorization(from, to, value, validAfter, validBefore, nonce);
    useAuthorization(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, authorization, abi.encodePacked(r, s, v));
  }

  function transferWithAuthorization(
    address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
    bytes memory signature
  ) external {
    Authorization memory authorization = Authorization(from, to, value, validAfter, validBefore, nonce);
    useAuthorization(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, authorization, signature);
  }

  function receiveWithAuthorization(
    address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
    uint8 v, bytes32 r, bytes32 s
  ) external {
    Authorization memory authorization = Authorization(from, to, value, validAfter, validBefore, nonce);
    receivePayment(authorization, abi.encodePacked(r, s, v));
  }

  function receiveWithAuthorization(
    address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
    bytes memory signature
  ) external {
    Authorization memory authorization = Authorization(from, to, value, validAfter, validBefore, nonce);
    receivePayment(authorization, signature);
  }

  function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
    cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
  }

  function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) public {
    requireUnused(authorizer, nonce);
    bytes32 what = keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce));
    require(SignatureCheck.isValid(authorizer, toDigest(what), signature), "FiatTokenV2: invalid signature");
    authorizationState[authorizer][nonce] = true;
    emit AuthorizationCanceled(authorizer, nonce);
  }

  /// @notice EIP-712 domain, computed at each call because the code does not know where it will stand.
  function DOMAIN_SEPARATOR() public view returns (bytes32) {
    return keccak256(abi.encode(
      DOMAIN_TYPEHASH, keccak256(bytes(name())), keccak256(bytes(version())), block.chainid, address(this)
    ));
  }

  function receivePayment(Authorization memory authorization, bytes memory signature) private {
    require(authorization.to == msg.sender, "FiatTokenV2: caller must be the payee");
    useAuthorization(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, authorization, signature);
  }

  /// @dev AuthorizationUsed comes right before its Transfer, which is how a payment is recognised in the logs.
  function useAuthorization(bytes32 typehash, Authorization memory authorization, bytes memory signature) private {
    require(block.timestamp > authorization.validAfter, "FiatTokenV2: authorization is not yet valid");
    require(block.timestamp < authorization.validBefore, "FiatTokenV2: authorization is expired");
    requireUnused(authorization.from, authorization.nonce);
    bytes32 digest = toDigest(keccak256(abi.encode(typehash, authorization)));
    require(SignatureCheck.isValid(authorization.from, digest, signature), "FiatTokenV2: invalid signature");
    authorizationState[authorization.from][authorization.nonce] = true;
    emit AuthorizationUsed(authorization.from, authorization.nonce);
    move(authorization.from, authorization.to, authorization.value);
  }

  function requireUnused(address authorizer, bytes32 nonce) private view {
    require(!authorizationState[authorizer][nonce], "FiatTokenV2: authorization is used or canceled");
  }

  function toDigest(bytes32 structHash) private view returns (bytes32) {
    return keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), structHash));
  }

  function allow(address owner, address spender, uint256 value) private {
    require(owner != address(0), "ERC20: approve from the zero address");
    require(spender != address(0), "ERC20: approve to the zero address");
    allowance[owner][spender] = value;
    emit Approval(owner, spender, value);
  }

  function move(address from, address to, uint256 value) private {
    require(from != address(0), "ERC20: transfer from the zero address");
    require(to != address(0), "ERC20: transfer to the zero address");
    require(value <= balanceOf[from], "ERC20: transfer amount exceeds balance");
    balanceOf[from] -= value;
    balanceOf[to] += value;
    emit Transfer(from, to, value);
  }
}
