package dev.holdfast.spring.locked;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Walks through the code of one method and tells of every call whose receiver is {@code this}. It follows the operand stack
 * and remembers of each slot only whether it is {@code this}; at a jump it keeps the stack for the place where it lands.
 */
final class OwnCallVisitor extends MethodVisitor {
    private final boolean hasThis;
    private final BiConsumer<String, String> found;
    private final Map<Label, Stack> landings = new HashMap<>();
    private Stack stack = new Stack(new BitSet(), 0);

    OwnCallVisitor(boolean hasThis, BiConsumer<String, String> found) {
        super(SpringAsmInfo.ASM_VERSION);
        this.hasThis = hasThis;
        this.found = found;
    }

    /** Which slots are {@code this}, and how many slots there are. */
    private static final class Stack {
        private final BitSet own;
        private int size;

        Stack(BitSet own, int size) {
            this.own = own;
            this.size = size;
        }

        Stack copy() {
            return new Stack((BitSet) own.clone(), size);
        }

        void push(int slots) {
            own.clear(size, size + slots);
            size += slots;
        }

        void pushThis() {
            own.set(size++);
        }

        void pop(int slots) {
            size = Math.max(0, size - slots);
        }

        boolean isThis(int below) {
            int index = size - 1 - below;
            return index >= 0 && own.get(index);
        }
    }

    @Override
    public void visitLabel(Label label) {
        Stack landing = landings.get(label);
        if (landing != null) {
            stack = landing;
        }
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        if (opcode == Opcodes.GOTO) {
            landings.putIfAbsent(label, stack.copy());
            stack = new Stack(new BitSet(), 0);
            return;
        }
        stack.pop(opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE ? 2 : 1);
        landings.putIfAbsent(label, stack.copy());
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
        visitLookupSwitchInsn(otherwise, new int[0], labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
        stack.pop(1);
        landings.putIfAbsent(otherwise, stack.copy());
        for (Label label : labels) {
            landings.putIfAbsent(label, stack.copy());
        }
        stack = new Stack(new BitSet(), 0);
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        switch (opcode) {
            case Opcodes.ALOAD -> {
                if (variable == 0 && hasThis) {
                    stack.pushThis();
                } else {
                    stack.push(1);
                }
            }
            case Opcodes.ILOAD, Opcodes.FLOAD -> stack.push(1);
            case Opcodes.LLOAD, Opcodes.DLOAD -> stack.push(2);
            case Opcodes.LSTORE, Opcodes.DSTORE -> stack.pop(2);
            default -> stack.pop(1);
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        int arguments = slots(Type.getArgumentTypes(descriptor));
        if (opcode != Opcodes.INVOKESTATIC) {
            if (stack.isThis(arguments)) {
                found.accept(owner, name + descriptor);
            }
            arguments++;
        }
        stack.pop(arguments);
        stack.push(Type.getReturnType(descriptor).getSize());
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... constants) {
        int arguments = slots(Type.getArgumentTypes(descriptor));
        for (Object constant : constants) {
            // A reference such as this::pay, with "this" as the first value that it captures.
            if (constant instanceof Handle handle && arguments > 0 && stack.isThis(arguments - 1)) {
                found.accept(handle.getOwner(), handle.getName() + handle.getDesc());
            }
        }
        stack.pop(arguments);
        stack.push(Type.getReturnType(descriptor).getSize());
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        int size = Type.getType(descriptor).getSize();
        switch (opcode) {
            case Opcodes.GETSTATIC -> stack.push(size);
            case Opcodes.PUTSTATIC -> stack.pop(size);
            case Opcodes.PUTFIELD -> stack.pop(size + 1);
            default -> change(1, size);
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        switch (opcode) {
            case Opcodes.NEW -> stack.push(1);
            case Opcodes.CHECKCAST -> {}
            default -> change(1, 1);
        }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        change(opcode == Opcodes.NEWARRAY ? 1 : 0, 1);
    }

    @Override
    public void visitLdcInsn(Object value) {
        stack.push(value instanceof Long || value instanceof Double ? 2 : 1);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        change(dimensions, 1);
    }

    @Override
    public void visitInsn(int opcode) {
        switch (opcode) {
            case Opcodes.DUP -> {
                if (stack.isThis(0)) {
                    stack.pushThis();
                } else {
                    stack.push(1);
                }
            }
            case Opcodes.IRETURN,
                    Opcodes.LRETURN,
                    Opcodes.FRETURN,
                    Opcodes.DRETURN,
                    Opcodes.ARETURN,
                    Opcodes.RETURN,
                    Opcodes.ATHROW -> stack = new Stack(new BitSet(), 0);
            default -> {
                // Two digits for each: how many slots it takes, how many it leaves.
                int effect = EFFECTS[opcode];
                change(effect / 10, effect % 10);
            }
        }
    }

    private void change(int takes, int leaves) {
        stack.pop(takes);
        stack.push(leaves);
    }

    private static int slots(Type[] types) {
        int slots = 0;
        for (Type type : types) {
            slots += type.getSize();
        }
        return slots;
    }

    private static final int[] EFFECTS = effects();

    private static int[] effects() {
        int[] effects = new int[Opcodes.MONITOREXIT + 1];
        set(effects, 1, Opcodes.ACONST_NULL, Opcodes.ICONST_5);
        set(effects, 2, Opcodes.LCONST_0, Opcodes.LCONST_1);
        set(effects, 1, Opcodes.FCONST_0, Opcodes.FCONST_2);
        set(effects, 2, Opcodes.DCONST_0, Opcodes.DCONST_1);
        set(effects, 21, Opcodes.IALOAD, Opcodes.SALOAD);
        set(effects, 22, Opcodes.LALOAD, Opcodes.LALOAD);
        set(effects, 22, Opcodes.DALOAD, Opcodes.DALOAD);
        set(effects, 30, Opcodes.IASTORE, Opcodes.SASTORE);
        set(effects, 40, Opcodes.LASTORE, Opcodes.LASTORE);
        set(effects, 40, Opcodes.DASTORE, Opcodes.DASTORE);
        set(effects, 10, Opcodes.POP, Opcodes.POP);
        set(effects, 20, Opcodes.POP2, Opcodes.POP2);
        set(effects, 23, Opcodes.DUP_X1, Opcodes.DUP_X1);
        set(effects, 34, Opcodes.DUP_X2, Opcodes.DUP_X2);
        set(effects, 24, Opcodes.DUP2, Opcodes.DUP2);
        set(effects, 35, Opcodes.DUP2_X1, Opcodes.DUP2_X1);
        set(effects, 46, Opcodes.DUP2_X2, Opcodes.DUP2_X2);
        set(effects, 22, Opcodes.SWAP, Opcodes.SWAP);
        // Arithmetic comes in fours: int, long, float, double.
        for (int opcode = Opcodes.IADD; opcode <= Opcodes.DREM; opcode++) {
            effects[opcode] = (opcode - Opcodes.IADD) % 2 == 0 ? 21 : 42;
        }
        for (int opcode = Opcodes.INEG; opcode <= Opcodes.DNEG; opcode++) {
            effects[opcode] = (opcode - Opcodes.INEG) % 2 == 0 ? 11 : 22;
        }
        for (int opcode = Opcodes.ISHL; opcode <= Opcodes.LUSHR; opcode++) {
            effects[opcode] = (opcode - Opcodes.ISHL) % 2 == 0 ? 21 : 32;
        }
        for (int opcode = Opcodes.IAND; opcode <= Opcodes.LXOR; opcode++) {
            effects[opcode] = (opcode - Opcodes.IAND) % 2 == 0 ? 21 : 42;
        }
        set(effects, 11, Opcodes.I2L, Opcodes.I2S);
        for (int opcode : new int[] {Opcodes.I2L, Opcodes.I2D, Opcodes.F2L, Opcodes.F2D}) {
            effects[opcode] = 12;
        }
        for (int opcode : new int[] {Opcodes.L2I, Opcodes.L2F, Opcodes.D2I, Opcodes.D2F}) {
            effects[opcode] = 21;
        }
        set(effects, 22, Opcodes.L2D, Opcodes.L2D);
        set(effects, 22, Opcodes.D2L, Opcodes.D2L);
        set(effects, 41, Opcodes.LCMP, Opcodes.LCMP);
        set(effects, 21, Opcodes.FCMPL, Opcodes.FCMPG);
        set(effects, 41, Opcodes.DCMPL, Opcodes.DCMPG);
        set(effects, 11, Opcodes.ARRAYLENGTH, Opcodes.ARRAYLENGTH);
        set(effects, 10, Opcodes.MONITORENTER, Opcodes.MONITOREXIT);
        return effects;
    }

    private static void set(int[] effects, int effect, int first, int last) {
        for (int opcode = first; opcode <= last; opcode++) {
            effects[opcode] = effect;
        }
    }
}
