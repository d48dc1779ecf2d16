-- SPDX-License-Identifier: GPL-2.0
--
-- The dissector of conga for Wireshark: it reads the reserved bits of VXLAN headers, and
-- control packets. It follows the wire format of include/uapi/linux/conga.h, version 1.
--
--	wireshark -X lua_script:conga.lua
--	tshark -X lua_script:conga.lua -r FILE -T fields -e conga.lbtag -e conga.ce
--
-- A link to this file in ~/.local/lib/wireshark/plugins installs it permanently. The packets
-- do not have the number of bits of a metric, which is a preference: tshark -o conga.q:6

local conga = Proto("conga", "CONGA in VXLAN")

local CONTROL_VNI = 0xfffffe
local MAGIC = 0x434e4741
local VERSION = 1
local HEADER_BYTES, CONTROL_BYTES, RECORD_BYTES, PROBE_BYTES, WIDE_BYTES = 8, 24, 4, 20, 8
local WIDE = 0x04
local QUEUE_UNIT_NS = 256
local HELLO, FEEDBACK, BYE, PROBE, ANNOUNCEMENT = 1, 2, 3, 4, 5

local types = { [HELLO] = "hello", [FEEDBACK] = "feedback", [BYE] = "bye", [PROBE] = "probe",
	[ANNOUNCEMENT] = "announcement" }
local uses = { [0] = "none", [1] = "q-low", [2] = "tr-queue" }

conga.prefs.q = Pref.uint("Bits of a metric", 3, "Q of the fabric, 1 to 6")
conga.prefs.ports = Pref.range("UDP ports", "4789-4790", "of VXLAN and VXLAN-GPE", 65535)

local f = conga.fields
f.lbtag = ProtoField.uint8("conga.lbtag", "LBTag")
f.ce = ProtoField.uint8("conga.ce", "CE")
f.fb = ProtoField.bool("conga.fb", "Feedback")
f.fb_lbtag = ProtoField.uint8("conga.fb_lbtag", "FB_LBTag")
f.fb_metric = ProtoField.uint8("conga.fb_metric", "FB_Metric")
f.queue = ProtoField.uint64("conga.queue_ns", "Queue at the last node, ns")
f.vni = ProtoField.uint24("conga.vni", "VNI", base.HEX)
f.magic = ProtoField.uint32("conga.magic", "Magic", base.HEX)
f.version = ProtoField.uint8("conga.version", "Version")
f.type = ProtoField.uint8("conga.type", "Type", base.DEC, types)
f.flags = ProtoField.uint8("conga.flags", "Flags", base.HEX)
f.ask = ProtoField.bool("conga.flags.ask", "Wants an answer", 8, nil, 0x01)
f.sum = ProtoField.bool("conga.flags.sum", "Metric is sum", 8, nil, 0x02)
f.wide = ProtoField.bool("conga.flags.wide", "Nonces have upper halves", 8, nil, WIDE)
f.ecn = ProtoField.bool("conga.flags.ecn", "ECN is on", 8, nil, 0x08)
f.count = ProtoField.uint8("conga.count", "Records")
f.id = ProtoField.uint32("conga.leaf_id", "Leaf id", base.HEX)
f.q = ProtoField.uint8("conga.q", "Q")
f.byte3 = ProtoField.uint8("conga.byte3", "Byte 3 is used for", base.DEC, uses)
f.nonce = ProtoField.uint32("conga.nonce", "Nonce, lower half", base.HEX)
f.echo = ProtoField.uint32("conga.echo", "Echoed nonce, lower half", base.HEX)
f.nonce_upper = ProtoField.uint32("conga.nonce_upper", "Nonce, upper half", base.HEX)
f.echo_upper = ProtoField.uint32("conga.echo_upper", "Echoed nonce, upper half", base.HEX)
f.padding = ProtoField.none("conga.padding", "Padding to full size")
f.record = ProtoField.none("conga.record", "Record")
f.record_lbtag = ProtoField.uint8("conga.record.lbtag", "LBTag")
f.record_metric = ProtoField.uint8("conga.record.metric", "Metric, left-aligned in 8 bits")
f.origin = ProtoField.ipv6("conga.probe.origin", "Origin")
f.utilisation = ProtoField.uint8("conga.probe.utilisation", "Utilisation (255 is full)")
f.hops = ProtoField.uint8("conga.probe.hops", "Hops left")

local e = conga.experts
e.short = ProtoExpert.new("conga.short", "the packet is shorter than its fields say",
			  expert.group.MALFORMED, expert.severity.ERROR)
e.unknown = ProtoExpert.new("conga.unknown", "the control packet is not of a known version and type",
			    expert.group.UNDECODED, expert.severity.WARN)

-- Returns @count bits of @word, from bit @low on.
local function bits(word, low, count)
	return bit.band(bit.rshift(word, low), bit.lshift(1, count) - 1)
end

-- A metric has six bits, of which byte 3 has the lower three. Returns its upper Q bits.
local function metric(word, high, low, is_gpe)
	local full = 8 * bits(word, high, 3) + (is_gpe and 0 or bits(word, low, 3))

	return bit.rshift(full, 6 - math.max(1, math.min(6, conga.prefs.q)))
end

local function queue_ns(code)
	if code < 2 then
		return code * QUEUE_UNIT_NS
	end
	return (2 + code % 2) * 2 ^ (math.floor(code / 2) - 1) * QUEUE_UNIT_NS
end

local function has_queue(word, is_gpe)
	return not is_gpe and conga.prefs.q <= 3 and bits(word, 7, 1) == 1 and bits(word, 0, 2) == 0
end

-- A stamp has exactly the flags of VXLAN or of GPE, the bit "present", and zero in byte 7.
local function is_stamped(tvb)
	local flags = tvb(0, 1):uint()

	return (flags == 0x08 or flags == 0x0c) and tvb(2, 1):bitfield(7, 1) == 1 and
		tvb(7, 1):uint() == 0
end

local function add_stamp(tvb, tree)
	local word, is_gpe = tvb(0, 4):uint(), tvb(0, 1):uint() == 0x0c
	local stamp = tree:add(conga, tvb(1, 3))
	local ce = metric(word, 17, 5, is_gpe)
	local text = string.format("CONGA, LBTag %d, CE %d", bits(word, 20, 4), ce)

	stamp:add(f.lbtag, tvb(1, 1), bits(word, 20, 4))
	stamp:add(f.ce, tvb(1, 3), ce)
	stamp:add(f.fb, tvb(1, 1), bits(word, 16, 1) == 1)
	if bits(word, 16, 1) == 1 then
		local fed = metric(word, 9, 2, is_gpe)

		stamp:add(f.fb_lbtag, tvb(2, 1), bits(word, 12, 4))
		stamp:add(f.fb_metric, tvb(2, 2), fed)
		text = string.format("%s, FB_LBTag %d, FB_Metric %d", text, bits(word, 12, 4), fed)
	end
	if has_queue(word, is_gpe) then
		stamp:add(f.queue, tvb(3, 1), UInt64(queue_ns(bits(word, 2, 5))))
	end
	stamp:set_text(text)
	return stamp
end

local function add_records(tvb, count, tree)
	for i = 0, count - 1 do
		local row = tvb(i * RECORD_BYTES, RECORD_BYTES)
		local record = tree:add(f.record, row)

		record:add(f.record_lbtag, row(0, 1))
		record:add(f.record_metric, row(1, 1))
		record:set_text(string.format("LBTag %d, metric %d of 256", row(0, 1):uint(),
					      row(1, 1):uint()))
	end
end

local function add_probe(tvb, tree)
	tree:add(f.origin, tvb(0, 16))
	tree:add(f.utilisation, tvb(16, 1))
	tree:add(f.hops, tvb(17, 1))
end

local function add_control_header(tvb, tree)
	tree:add(f.magic, tvb(0, 4))
	tree:add(f.version, tvb(4, 1))
	tree:add(f.type, tvb(5, 1))
	local flags = tree:add(f.flags, tvb(6, 1))
	flags:add(f.ask, tvb(6, 1))
	flags:add(f.sum, tvb(6, 1))
	flags:add(f.wide, tvb(6, 1))
	flags:add(f.ecn, tvb(6, 1))
	tree:add(f.count, tvb(7, 1))
	tree:add(f.id, tvb(8, 4))
	tree:add(f.q, tvb(12, 1))
	tree:add(f.byte3, tvb(13, 1))
	tree:add(f.nonce, tvb(16, 4))
	tree:add(f.echo, tvb(20, 4))
end

-- Adds the upper halves of nonces, and the padding of a hello of full size.
local function add_upper(tvb, tree)
	tree:add(f.nonce_upper, tvb(0, 4))
	tree:add(f.echo_upper, tvb(4, 4))
	if tvb:len() > WIDE_BYTES then
		tree:add(f.padding, tvb(WIDE_BYTES))
	end
end

-- Adds a control packet to the tree, and returns the name of its type.
local function add_control(tvb, tree)
	if tvb:len() < CONTROL_BYTES then
		tree:add_proto_expert_info(e.short)
		return "control packet"
	end
	if tvb(0, 4):uint() ~= MAGIC or tvb(4, 1):uint() ~= VERSION then
		tree:add_proto_expert_info(e.unknown)
		return "control packet"
	end
	add_control_header(tvb, tree)

	local type, count = tvb(5, 1):uint(), tvb(7, 1):uint()
	local need = type == PROBE and PROBE_BYTES or count * RECORD_BYTES
	local wide = bit.band(tvb(6, 1):uint(), WIDE) ~= 0
	local upper = CONTROL_BYTES + need

	if not types[type] then
		tree:add_proto_expert_info(e.unknown)
	elseif tvb:len() < upper + (wide and WIDE_BYTES or 0) then
		tree:add_proto_expert_info(e.short)
	else
		if type == PROBE then
			add_probe(tvb(CONTROL_BYTES), tree)
		elseif count > 0 then
			add_records(tvb(CONTROL_BYTES), count, tree)
		end
		if wide then
			add_upper(tvb(upper), tree)
		end
	end
	return types[type] or "control packet"
end

-- Lua cannot find these dissectors by name, but by their ports, before conga takes the ports.
local ports = DissectorTable.get("udp.port")
local vxlan, gpe = ports:get_dissector(4789), ports:get_dissector(4790)

-- VXLAN's own dissector shows all packets but control packets, whose payload is no Ethernet
-- frame.
function conga.dissector(tvb, pinfo, tree)
	local tunnel = vxlan

	if tvb:len() >= HEADER_BYTES and tvb(0, 1):uint() == 0x0c then
		tunnel = gpe
	end
	if tvb:len() < HEADER_BYTES or not is_stamped(tvb) then
		return tunnel:call(tvb, pinfo, tree)
	end

	local stamp = add_stamp(tvb, tree)

	if tvb(4, 3):uint() ~= CONTROL_VNI then
		return tunnel:call(tvb, pinfo, tree)
	end
	stamp:add(f.vni, tvb(4, 3))
	local what = add_control(tvb(HEADER_BYTES):tvb(), stamp)
	pinfo.cols.protocol = "CONGA"
	pinfo.cols.info = "CONGA " .. what
	return tvb:len()
end

local taken

local function take_ports()
	if taken then
		ports:remove(taken, conga)
	end
	taken = conga.prefs.ports
	ports:add(taken, conga)
end

conga.prefs_changed = take_ports
take_ports()
